#include "io/picture_format.h"

#include "core/fail.h"
#include "core/text.h"
#include "io/jpeg.h"
#include "io/png.h"
#include "io/webp.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gass {
namespace {

using namespace std::string_view_literals;

constexpr std::array kPictureFormats{
    PictureFormat{.name = "png",
                  .shown = "PNG",
                  .extensions = ".png",
                  .longest_side = 0x7FFF'FFFF,
                  .has_quality = false,
                  .is_start = [](std::string_view start) { return start.starts_with("\x89PNG\r\n\x1A\n"sv); },
                  .decode = decode_png,
                  .decode_info = decode_png_info,
                  .encode = [](const Image& image, int,
                               std::span<const ImageText> text) { return encode_png(image, text); },
                  .has_room = [](const ImageText&) { return true; }},
    PictureFormat{.name = "jpeg",
                  .shown = "JPEG",
                  .extensions = ".jpg|.jpeg",
                  .longest_side = kMaxJpegSide,
                  .has_quality = true,
                  .is_start = [](std::string_view start) { return start.starts_with("\xFF\xD8\xFF"sv); },
                  .decode = decode_jpeg,
                  .decode_info = decode_jpeg_info,
                  .encode = encode_jpeg,
                  .has_room = has_room_in_jpeg},
    PictureFormat{.name = "webp",
                  .shown = "WebP",
                  .extensions = ".webp",
                  .longest_side = kMaxWebpSide,
                  .has_quality = true,
                  .is_start =
                      [](std::string_view start) {
                          return start.size() >= 12 && start.starts_with("RIFF"sv) &&
                                 start.substr(8).starts_with("WEBP"sv);
                      },
                  .decode = decode_webp,
                  .decode_info = decode_webp_info,
                  .encode = encode_webp,
                  .has_room = has_room_in_webp},
};

/// Of pictures as people keep them, in formats that have no row. Drawings (.svg) are no pictures here.
constexpr std::string_view kForeignExtensions =
    ".avif|.bmp|.dng|.exr|.gif|.hdr|.heic|.heif|.j2k|.jp2|.jxl|.pbm|.pgm|.pnm|.ppm|.psd|.qoi|.tga|.tif|.tiff";

/// `extensions`: ".jpg|.jpeg", in small letters; the file's may have large ones.
bool has_extension(const std::filesystem::path& path, std::string_view extensions) {
    std::string own = path.extension().string();
    std::ranges::transform(own, own.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto known = split(extensions, '|');
    return std::ranges::find(known, own) != known.end();
}

}  // namespace

std::span<const PictureFormat> picture_formats() {
    return kPictureFormats;
}

const PictureFormat& picture_format(std::string_view name) {
    return *std::ranges::find(kPictureFormats, name, &PictureFormat::name);
}

const PictureFormat* picture_format_of(std::span<const std::byte> bytes) {
    constexpr std::size_t kLongestStart = 16;
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                                 std::min(bytes.size(), kLongestStart));
    const auto format =
        std::ranges::find_if(kPictureFormats, [&](const PictureFormat& row) { return row.is_start(start); });
    return format == kPictureFormats.end() ? nullptr : &*format;
}

std::string picture_kinds() {
    std::string kinds;
    for (std::size_t i = 0; i < kPictureFormats.size(); ++i) {
        if (i > 0) kinds += i + 1 < kPictureFormats.size() ? ", " : " or ";
        kinds += kPictureFormats[i].shown;
    }
    return kinds;
}

bool has_picture_extension(const std::filesystem::path& path) {
    return std::ranges::any_of(
        kPictureFormats, [&](const PictureFormat& format) { return has_extension(path, format.extensions); });
}

bool has_foreign_picture_extension(const std::filesystem::path& path) {
    return has_extension(path, kForeignExtensions);
}

PictureOutput PictureOutput::from(const Settings& settings) {
    return {.format = &picture_format(settings.text("format")),
            .quality = settings.find("quality")->get<int>()};
}

void PictureOutput::check_size(std::int64_t width, std::int64_t height) const {
    if (std::max(width, height) > format->longest_side) {
        fail(ErrorCode::usage, SettingKey("format"),
             "{} allows {} pixels a side, not {} x {}; choose another format", format->shown,
             format->longest_side, width, height);
    }
}

EncodedPicture encode_picture(const Image& image, const PictureOutput& output,
                              std::span<const ImageText> text) {
    EncodedPicture encoded;
    std::vector<ImageText> carried;
    for (const ImageText& entry : text) {
        if (output.format->has_room(entry)) {
            carried.push_back(entry);
        } else {
            encoded.left_out.insert(entry.key);
        }
    }
    encoded.bytes = output.format->encode(image, output.quality, carried);
    return encoded;
}

}  // namespace gass
