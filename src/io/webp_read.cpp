#include "core/fail.h"
#include "core/quote.h"
#include "io/exif.h"
#include "io/image_codec.h"
#include "io/picture_format.h"
#include "io/webp.h"
#include "io/xmp.h"

#include <webp/decode.h>
#include <webp/mux_types.h>

#include <algorithm>

namespace gass {
namespace {

constexpr std::size_t kRiffHeader = 12;
constexpr std::size_t kRiffChunkHeader = 8;
constexpr std::size_t kMaxRiffChunks = 256;

// A picture of one colour takes a few bytes whatever its size. Up to this one it is believed; beyond, a small
// file that claims many pixels is not worth their memory.
constexpr std::uint64_t kBelievedPixels = std::uint64_t{16} << 20U;
constexpr std::uint64_t kMaxWebpPixelsPerByte = std::uint64_t{16} << 10U;

[[noreturn]] void fail_damaged_webp(std::string_view where, std::string_view how) {
    fail(ErrorCode::model_invalid, where, "the WebP image is damaged: {}", how);
}

void check_status(VP8StatusCode status, std::string_view where) {
    switch (status) {
        case VP8_STATUS_OK:
            return;
        case VP8_STATUS_OUT_OF_MEMORY:
            fail(ErrorCode::out_of_memory, where, "no memory to read the image");
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            fail(ErrorCode::model_invalid, where, "the WebP image is of an unsupported kind");
        case VP8_STATUS_NOT_ENOUGH_DATA:
        case VP8_STATUS_SUSPENDED:
            fail_damaged_webp(where, "its data end too early");
        default:
            fail_damaged_webp(where, "its data make no picture");
    }
}

/// A file's parts, none of which is copied.
struct WebpParts {
    std::span<const std::byte> file;  // up to the end that it states
    std::span<const std::byte> exif;  // empty if absent
    std::span<const std::byte> xmp;   // likewise

    const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(file.data()); }
};

std::size_t little_endian(std::span<const std::byte> bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::to_integer<std::size_t>(bytes[i]) << (8 * i);
    return value;
}

/// libwebp's own reader of chunks keeps a note of each, however many there are; this keeps two.
WebpParts parts_of_webp(std::span<const std::byte> bytes, std::string_view where) {
    const std::size_t size = bytes.size() < kRiffHeader ? 0 : little_endian(bytes.subspan(4));
    if (size < kRiffHeader - kRiffChunkHeader || size > bytes.size() - kRiffChunkHeader)
        fail_damaged_webp(where, "the file ends too early");
    WebpParts parts{bytes.first(size + kRiffChunkHeader), {}, {}};
    std::size_t flags = 0;
    std::size_t count = 0;
    for (auto left = parts.file.subspan(kRiffHeader); !left.empty(); ++count) {
        if (count == kMaxRiffChunks)
            fail(ErrorCode::model_invalid, where, "the WebP image has more than {} chunks", kMaxRiffChunks);
        if (left.size() < kRiffChunkHeader) fail_damaged_webp(where, "the file ends too early");
        const std::string_view type(reinterpret_cast<const char*>(left.data()), 4);
        const std::size_t length = little_endian(left.subspan(4));
        if (length > left.size() - kRiffChunkHeader)
            fail_damaged_webp(where, fmt::format("the chunk {} is longer than the file", in_quotes(type)));
        const auto content = left.subspan(kRiffChunkHeader, length);
        const std::size_t padded = kRiffChunkHeader + length + length % 2;
        left = left.subspan(std::min(padded, left.size()));
        // As in libwebp's reader, what the first chunk does not announce is not there.
        if (count == 0 && type == "VP8X" && !content.empty())
            flags = std::to_integer<std::size_t>(content.front());
        if (type == "EXIF" && (flags & EXIF_FLAG) != 0 && parts.exif.empty()) parts.exif = content;
        if (type == "XMP " && (flags & XMP_FLAG) != 0 && parts.xmp.empty()) parts.xmp = content;
    }
    return parts;
}

/// With the size as stored.
ImageInfo read_webp_header(const WebpParts& parts, std::string_view where) {
    WebPBitstreamFeatures features{};
    check_status(WebPGetFeatures(parts.data(), parts.file.size(), &features), where);
    if (features.has_animation != 0)
        fail(ErrorCode::model_invalid, where,
             "an animated WebP is not a single image: take one of its frames");
    ImageInfo info;
    info.width = static_cast<std::uint32_t>(features.width);
    info.height = static_cast<std::uint32_t>(features.height);
    constexpr int kLossy = 1;
    info.color = features.has_alpha != 0     ? ImageColor::rgba
                 : features.format == kLossy ? ImageColor::ycbcr
                                             : ImageColor::rgb;
    check_pixel_count(info.width, info.height, where);
    const ExifContent exif = parse_exif(parts.exif);
    info.orientation = exif.orientation;
    if (!exif.user_comment.empty()) info.text.push_back({std::string(kParametersKey), exif.user_comment});
    if (const auto record = parse_xmp(parts.xmp)) info.text.push_back({std::string(kRecordKey), *record});
    return info;
}

/// The pixels as stored.
Image read_webp_pixels(const WebpParts& parts, const ImageInfo& info, std::string_view where) {
    Image image{info.width, info.height, {}};
    const std::uint64_t pixels = std::uint64_t{image.width} * image.height;
    if (pixels > kBelievedPixels && pixels / kMaxWebpPixelsPerByte > parts.file.size()) {
        fail_damaged_webp(where, fmt::format("its {} bytes cannot hold {} x {} pixels", parts.file.size(),
                                             image.width, image.height));
    }
    image.rgb = reserve_bytes(pixels * 3, where);
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0)
        fail(ErrorCode::failure, where, "the installed libwebp is not the one that gass was built with");
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = {image.rgb.data(), static_cast<int>(image.width * 3), image.rgb.size()};
    check_status(WebPDecode(parts.data(), parts.file.size(), &config), where);
    return image;
}

}  // namespace

ImageFile decode_webp(std::span<const std::byte> bytes, std::string_view where, Orientation orientation) {
    const WebpParts parts = parts_of_webp(bytes, where);
    ImageFile file;
    file.info = read_webp_header(parts, where);
    file.image = read_webp_pixels(parts, file.info, where);
    if (orientation == Orientation::upright) show_upright(file, where);
    return file;
}

ImageInfo decode_webp_info(std::span<const std::byte> bytes, std::string_view where) {
    ImageInfo info = read_webp_header(parts_of_webp(bytes, where), where);
    show_upright(info);
    return info;
}

}  // namespace gass
