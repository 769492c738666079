// Writes the sample pages that the browser test looks at.

#include "compare/comparison.h"
#include "compare/sample.h"

#include <filesystem>
#include <fstream>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const std::filesystem::path folder = arguments[1];
    std::ofstream(folder / "plain.html") << gass::comparison_page(gass::sample_comparison());
    std::ofstream(folder / "hostile.html") << gass::comparison_page(gass::hostile_comparison());
    return std::ofstream(folder / "done") ? 0 : 1;
}
