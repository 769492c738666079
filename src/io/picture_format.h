#pragma once

#include "core/settings.h"
#include "io/image.h"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A format that pictures are read and written in. Every format stands once, as a row of the table in
/// picture_format.cpp.
struct PictureFormat {
    std::string_view name;        ///< "webp", as the setting has it
    std::string_view shown;       ///< "WebP", as people write it
    std::string_view extensions;  ///< ".jpg|.jpeg"; pictures of ours get the first
    std::uint32_t longest_side;   ///< that can be written
    bool has_quality;             ///< whether it matters; the picture is then not what it was
    bool (*is_start)(std::string_view start);
    ImageFile (*decode)(std::span<const std::byte> bytes, std::string_view where, Orientation orientation);
    ImageInfo (*decode_info)(std::span<const std::byte> bytes, std::string_view where);
    std::vector<std::byte> (*encode)(const Image& image, int quality, std::span<const ImageText> text);
    /// Whether `encode` can take that text along; it throws where it cannot.
    bool (*has_room)(const ImageText& text);

    std::string_view extension() const { return extensions.substr(0, extensions.find('|')); }
};

/// The keys of the text that every format carries: what A1111 and galleries read, and our own record.
inline constexpr std::string_view kParametersKey = "parameters";
inline constexpr std::string_view kRecordKey = "gass";

std::span<const PictureFormat> picture_formats();
/// The format of that name, which must be one.
const PictureFormat& picture_format(std::string_view name);
/// The format that a file starts like, or nullptr.
const PictureFormat* picture_format_of(std::span<const std::byte> bytes);
/// "PNG, JPEG or WebP"
std::string picture_kinds();
/// Whether a file is named like a picture, in small letters or large ones.
bool has_picture_extension(const std::filesystem::path& path);
/// Whether it is named like a picture of a format that we do not read, a GIF or TIFF for instance.
bool has_foreign_picture_extension(const std::filesystem::path& path);

/// How pictures of ours are written: as the settings `format` and `quality` say, with or without text inside.
struct PictureOutput {
    const PictureFormat* format = &picture_format("png");
    int quality = 90;  ///< 1 to 100, where the format has it
    bool metadata = true;

    static PictureOutput from(const Settings& settings);
    /// Throws usage for pictures that the format cannot hold.
    void check_size(std::int64_t width, std::int64_t height) const;
};

struct EncodedPicture {
    std::vector<std::byte> bytes;
    std::set<std::string> left_out;  ///< keys of the texts that the format has no room for
};

EncodedPicture encode_picture(const Image& image, const PictureOutput& output,
                              std::span<const ImageText> text);

}  // namespace gass
