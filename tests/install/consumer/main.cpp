#include <gass/error.h>
#include <gass/model.h>
#include <gass/version.h>

#include <iostream>

int main(int, char** argv) {
    const gass::ModelInfo model = gass::inspect_model(argv[1]);
    std::cout << "gass " << gass::version() << "\n" << model.name << ": " << model.class_name << "\n";
    try {
        gass::inspect_model("no-such-model");
    } catch (const gass::Error& error) {
        std::cout << "refused: " << gass::to_string(error.code()) << "\n";
    }
    return gass::check_model(argv[1]).empty() && gass::model_names().size() >= 4 ? 0 : 1;
}
