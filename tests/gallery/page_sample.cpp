// Writes the sample pages that the browser test looks at, with their pictures.

#include "gallery/sample.h"
#include "gallery/set_page.h"
#include "io/png.h"

#include <filesystem>
#include <fstream>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const std::filesystem::path folder = arguments[1];
    const gass::Group plain = gass::sample_group();
    const auto names = gass::file_names(plain.images.size());
    for (std::size_t i = 0; i < names.size(); ++i) gass::write_png(folder / names[i], plain.images[i], {});
    std::ofstream(folder / "plain.html") << gass::gallery::set_page(plain, plain.record, names);

    // A picture's name of ours is harmless; the page need not rely on it.
    const gass::Group hostile = gass::hostile_group();
    auto others = gass::file_names(hostile.images.size());
    others[0] = "a\"b & <c> 'd'.png";
    gass::write_png(folder / others[0], hostile.images[0], {});
    std::ofstream(folder / "hostile.html") << gass::gallery::set_page(hostile, hostile.record, others);
    return std::ofstream(folder / "done") ? 0 : 1;
}
