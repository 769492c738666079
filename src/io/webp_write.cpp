#include "core/fail.h"
#include "core/quote.h"
#include "io/exif.h"
#include "io/image_codec.h"
#include "io/picture_format.h"
#include "io/webp.h"
#include "io/xmp.h"

#include <webp/encode.h>
#include <webp/mux_types.h>

#include <array>
#include <map>
#include <new>

namespace gass {
namespace {

constexpr int kLossless = 100;

using WebpChunks = std::map<std::string_view, std::vector<std::byte>>;  // by type, in the order of a file

std::vector<std::byte> webp_chunk_of(const ImageText& text) {
    if (text.key == kParametersKey) {
        const std::vector<std::byte> exif = make_exif(text.value);
        constexpr std::size_t kJpegsHeader = 6;  // "Exif\0\0", which a chunk of that name can do without
        return {exif.begin() + kJpegsHeader, exif.end()};
    }
    const std::string packet = make_xmp(text.value);
    const auto bytes = std::as_bytes(std::span(packet));
    return {bytes.begin(), bytes.end()};
}

WebpChunks webp_chunks_of(std::span<const ImageText> text) {
    WebpChunks chunks;
    for (const ImageText& entry : text) {
        check_text(entry, "webp text");
        const std::string_view type = entry.key == kParametersKey ? "EXIF" : "XMP ";
        if (chunks.contains(type) || (entry.key != kParametersKey && entry.key != kRecordKey)) {
            fail(ErrorCode::usage, "webp text", "WebP takes one text {} and one {}, not {}",
                 in_quotes(kParametersKey), in_quotes(kRecordKey), in_quotes(entry.key));
        }
        if (!has_room_in_webp(entry)) {
            fail(ErrorCode::usage, "webp text", "{} takes more than the 64 KiB that EXIF has room for",
                 in_quotes(entry.key));
        }
        chunks[type] = webp_chunk_of(entry);
    }
    return chunks;
}

struct WebpPicture {
    WebPPicture picture{};
    WebPMemoryWriter writer{};

    WebpPicture() { WebPMemoryWriterInit(&writer); }
    ~WebpPicture() {
        WebPPictureFree(&picture);
        WebPMemoryWriterClear(&writer);
    }
    WebpPicture(const WebpPicture&) = delete;
    WebpPicture& operator=(const WebpPicture&) = delete;
};

std::vector<std::byte> encode_webp_pixels(const Image& image, int quality) {
    WebPConfig config;
    WebpPicture target;
    bool ready = WebPConfigInit(&config) != 0 && WebPPictureInit(&target.picture) != 0;
    constexpr int kUsualEffort = 6;
    if (quality == kLossless) {
        ready = ready && WebPConfigLosslessPreset(&config, kUsualEffort) != 0;
    } else {
        config.quality = static_cast<float>(quality);
    }
    if (!ready)
        fail(ErrorCode::failure, "webp", "the installed libwebp is not the one that gass was built with");
    target.picture.use_argb = config.lossless;
    target.picture.width = static_cast<int>(image.width);
    target.picture.height = static_cast<int>(image.height);
    target.picture.writer = WebPMemoryWrite;
    target.picture.custom_ptr = &target.writer;
    const bool done =
        WebPPictureImportRGB(&target.picture, image.rgb.data(), static_cast<int>(image.width * 3)) != 0 &&
        WebPEncode(&config, &target.picture) != 0;
    const WebPEncodingError error = target.picture.error_code;
    if (!done && (error == VP8_ENC_ERROR_OUT_OF_MEMORY || error == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY))
        throw std::bad_alloc();
    if (!done)
        fail(ErrorCode::failure, "webp", "cannot encode the image: libwebp's error {}",
             static_cast<int>(error));
    const auto bytes = std::as_bytes(std::span(target.writer.mem, target.writer.size));
    return {bytes.begin(), bytes.end()};
}

/// Stores the lowest bytes of a value, the first one first.
void put_little_endian(std::span<std::byte> out, std::size_t value) {
    for (std::byte& byte : out) {
        byte = static_cast<std::byte>(value & 0xFFU);
        value >>= 8U;
    }
}

void add_riff_chunk(std::vector<std::byte>& file, std::string_view type, std::span<const std::byte> content) {
    const auto name = std::as_bytes(std::span(type));
    file.insert(file.end(), name.begin(), name.end());
    file.resize(file.size() + 4);
    put_little_endian(std::span(file).last(4), content.size());
    file.insert(file.end(), content.begin(), content.end());
    if (content.size() % 2 == 1) file.push_back(std::byte{0});
}

/// The file with chunks behind its pixels, which one in front announces.
std::vector<std::byte> with_webp_chunks(const Image& image, std::span<const std::byte> file,
                                        const WebpChunks& chunks) {
    constexpr std::size_t kRiffStart = 12;  // "RIFF", the length of what follows, "WEBP"
    std::array<std::byte, 10> header{};
    if (chunks.contains("EXIF")) header[0] |= std::byte{EXIF_FLAG};
    if (chunks.contains("XMP ")) header[0] |= std::byte{XMP_FLAG};
    put_little_endian(std::span(header).subspan(4, 3), image.width - 1);
    put_little_endian(std::span(header).subspan(7, 3), image.height - 1);
    std::vector<std::byte> extended(file.begin(), file.begin() + kRiffStart);
    add_riff_chunk(extended, "VP8X", header);
    extended.insert(extended.end(), file.begin() + kRiffStart, file.end());
    for (const auto& [type, content] : chunks) add_riff_chunk(extended, type, content);
    put_little_endian(std::span(extended).subspan(4, 4), extended.size() - 8);
    return extended;
}

}  // namespace

bool has_room_in_webp(const ImageText& text) {
    return text.key != kParametersKey || fits_exif(text.value);
}

std::vector<std::byte> encode_webp(const Image& image, int quality, std::span<const ImageText> text) {
    check_writable(image, "webp");
    if (quality < 1 || quality > 100)
        fail(ErrorCode::usage, "webp", "the quality must be 1 to 100, not {}", quality);
    if (image.width > kMaxWebpSide || image.height > kMaxWebpSide) {
        fail(ErrorCode::usage, "webp", "WebP allows {} pixels a side, not {} x {}: write a PNG", kMaxWebpSide,
             image.width, image.height);
    }
    const WebpChunks chunks = webp_chunks_of(text);
    std::vector<std::byte> file = encode_webp_pixels(image, quality);
    return chunks.empty() ? file : with_webp_chunks(image, file, chunks);
}

}  // namespace gass
