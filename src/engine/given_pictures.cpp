#include "engine/given_pictures.h"

#include "core/fail.h"
#include "core/hash.h"
#include "core/quote.h"
#include "engine/pixels.h"
#include "engine/request.h"
#include "io/image.h"
#include "io/picture_files.h"
#include "io/picture_format.h"
#include "pipelines/image_preprocessing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// [1, 3, height, width] in −1…1
at::Tensor fitted(const Image& image, ImageSize size) {
    const auto height = static_cast<std::int64_t>(image.height);
    const auto width = static_cast<std::int64_t>(image.width);
    const double scale = std::max(static_cast<double>(size.height) / static_cast<double>(height),
                                  static_cast<double>(size.width) / static_cast<double>(width));
    const auto cut = [&](std::int64_t side, std::int64_t wanted) {
        const auto length = static_cast<std::int64_t>(std::lround(static_cast<double>(wanted) / scale));
        return std::clamp<std::int64_t>(length, 1, side);
    };
    const std::int64_t rows = cut(height, size.height);
    const std::int64_t columns = cut(width, size.width);
    const at::Tensor middle =
        from_image(image).narrow(2, (height - rows) / 2, rows).narrow(3, (width - columns) / 2, columns);
    return resize_bicubic(middle, size.height, size.width);
}

}  // namespace

std::vector<std::string> shield_files(const std::string& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(whole, error)) return {whole.string()};
    if (!fs::is_directory(whole, error))
        fail(ErrorCode::usage, SettingKey("shield"), "there is no image or folder {}", in_quotes(path));
    std::vector<std::string> files;
    for (const fs::path& file : pictures_below(whole, kMaxShield).pictures) {
        files.push_back(file.string());
        if (!is_utf8(files.back()))  // a record names it, and must be JSON
            fail(ErrorCode::usage, SettingKey("shield"), "the name {} is not UTF-8", in_quotes(files.back()));
    }
    if (files.size() > kMaxShield)
        fail(ErrorCode::usage, SettingKey("shield"), "{} holds more than {} pictures", in_quotes(path),
             kMaxShield);
    if (files.empty())
        fail(ErrorCode::usage, SettingKey("shield"), "no {} in {}", picture_kinds(), in_quotes(path));
    return files;
}

StartImage checked_start_image(StartImage start) {
    if (!(start.strength > 0 && start.strength <= 1))
        fail(ErrorCode::usage, SettingKey("denoise"), "expected more than 0 and at most 1, got {}",
             start.strength);
    std::error_code error;
    start.file = fs::absolute(start.file, error).lexically_normal().string();
    if (!is_utf8(start.file))  // a record names it, and must be JSON
        fail(ErrorCode::usage, SettingKey("init_image"), "the name {} is not UTF-8", in_quotes(start.file));
    if (!is_picture_name(start.file) || !fs::is_regular_file(start.file, error))
        fail(ErrorCode::usage, SettingKey("init_image"), "{} is no {}", in_quotes(start.file),
             picture_kinds());
    const std::string hash = hash_bytes(map_image(start.file).bytes());
    if (!start.hash.empty() && start.hash != hash)
        fail(ErrorCode::model_invalid, start.file, "it has changed since the set was made from it");
    start.hash = hash;
    return start;
}

void check_recorded_pictures(const Record& record, std::string_view where) {
    const auto check = [&](std::string_view what, const std::string& file) {
        std::error_code error;
        if (!is_picture_name(file) || !fs::is_regular_file(file, error)) {
            fail(ErrorCode::model_not_found, where, "its set {} {}, which is not a {} on this machine", what,
                 in_quotes(file), picture_kinds());
        }
    };
    for (const std::string& file : record.shield) check("was kept away from", file);
    if (record.start_image) check("began with", record.start_image->file);
}

at::Tensor picture_latents(const std::vector<std::string>& files, const Backbone& backbone, ImageSize size,
                           const std::function<bool()>& should_stop) {
    std::vector<at::Tensor> latents;
    for (const std::string& file : files) {
        if (should_stop && should_stop())
            fail(ErrorCode::interrupted, "sampling", "stopped while pictures were read");
        const at::Tensor pixels = fitted(read_image(file).image, size).to(backbone.device());
        latents.push_back(backbone.decoder().encode(pixels).to(at::kCPU));
    }
    return at::cat(latents);
}

}  // namespace gass
