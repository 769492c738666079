#include "explain/drawing_file.h"

#include "core/fail.h"
#include "io/file.h"
#include "io/png.h"

#include <string_view>

namespace gass::explain {
namespace {

namespace fs = std::filesystem;

const ImageText kPngMark{"Software", "gass explain"};

bool is_svg(const fs::path& path) {
    return path.extension() == ".svg";
}

bool is_ours(const fs::path& path) {
    if (!is_svg(path)) return carries_text(path, kPngMark);
    try {
        const MappedFile file(path);
        const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
        // The mark follows the first tag.
        return text.starts_with("<svg ") &&
               text.substr(0, 1024).find(plot::kSvgMark) != std::string_view::npos;
    } catch (const Error&) {
        return false;  // a folder, a pipe, a damaged file: none of ours
    }
}

}  // namespace

void check_drawing_path(const fs::path& path) {
    if (!is_svg(path) && path.extension() != ".png")
        fail(ErrorCode::usage, SettingKey("output"), "{} must end in .svg or .png", path.string());
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error)) && !is_ours(path)) {
        fail(ErrorCode::usage, SettingKey("output"),
             "{} exists already and was not made by gass explain; choose another name", path.string());
    }
}

void write_drawing(const fs::path& path, const plot::Scene& scene) {
    AtomicFile file(path);
    if (is_svg(path)) {
        file.write(to_svg(scene));
    } else {
        file.write(encode_png(to_image(scene), std::span(&kPngMark, 1)));
    }
    file.commit();
}

}  // namespace gass::explain
