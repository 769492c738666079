#include "core/fail.h"
#include "core/quote.h"
#include "io/exif.h"
#include "io/file.h"
#include "io/image_codec.h"
#include "io/jpeg.h"
#include "io/jpeg_library.h"
#include "io/picture_format.h"
#include "io/xmp.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>

namespace gass {
namespace {

constexpr std::size_t kMaxKey = 79;
constexpr std::size_t kMaxMarker = 0xFFFF - 2;  // the length field counts itself

/// What stands between the image's start and its tables.
struct Marker {
    int code;
    std::vector<std::byte> content;
};

std::vector<std::byte> concatenated(std::string_view first, std::string_view second) {
    std::vector<std::byte> bytes(first.size() + second.size());
    std::memcpy(bytes.data(), first.data(), first.size());
    std::memcpy(bytes.data() + first.size(), second.data(), second.size());
    return bytes;
}

/// A comment, unless it is the first of a key that has a place of its own.
Marker marker_of(const ImageText& text, bool is_first) {
    if (is_first && text.key == kParametersKey && !text.value.empty())
        return {JPEG_APP0 + 1, make_exif(text.value)};
    if (is_first && text.key == kRecordKey)
        return {JPEG_APP0 + 1, concatenated(kXmpMark, make_xmp(text.value))};
    return {JPEG_COM, concatenated(text.key + ": ", text.value)};
}

std::vector<Marker> make_markers(std::span<const ImageText> text) {
    std::vector<Marker> markers;
    std::set<std::string_view> keys;
    for (const ImageText& entry : text) {
        check_text(entry, "jpeg text");
        if (!is_comment_key(entry.key)) {
            fail(ErrorCode::usage, "jpeg text",
                 "a key must be 1 to {} bytes of UTF-8 without colons, control characters and outer spaces, "
                 "not {}",
                 kMaxKey, in_quotes(entry.key));
        }
        Marker marker = marker_of(entry, keys.insert(entry.key).second);
        if (marker.content.size() > kMaxMarker) {
            fail(ErrorCode::usage, "jpeg text",
                 "{} takes {} bytes; JPEG has room for {}: write a PNG, or leave it out",
                 in_quotes(entry.key), marker.content.size(), kMaxMarker);
        }
        markers.push_back(std::move(marker));
    }
    return markers;
}

/// Collects libjpeg's output. Its own memory target would leak when an error jumps out.
struct Destination {
    jpeg_destination_mgr manager{};
    std::array<JOCTET, std::size_t{1} << 14U> buffer{};
    std::vector<std::byte> bytes;

    void install(j_compress_ptr jpeg) {
        manager.init_destination = rewind;
        manager.empty_output_buffer = [](j_compress_ptr self) -> boolean {
            store(self, of(self).buffer.size());
            rewind(self);
            return TRUE;
        };
        manager.term_destination = [](j_compress_ptr self) {
            store(self, of(self).buffer.size() - of(self).manager.free_in_buffer);
        };
        jpeg->dest = &manager;
    }

    // `manager` is the first member of a class of standard layout up to there, as libjpeg's own managers are.
    static Destination& of(j_compress_ptr jpeg) { return *reinterpret_cast<Destination*>(jpeg->dest); }

    static void rewind(j_compress_ptr jpeg) {
        of(jpeg).manager.next_output_byte = of(jpeg).buffer.data();
        of(jpeg).manager.free_in_buffer = of(jpeg).buffer.size();
    }

    static void store(j_compress_ptr jpeg, std::size_t count) {
        Destination& self = of(jpeg);
        bool stored = true;
        try {
            const auto* start = reinterpret_cast<const std::byte*>(self.buffer.data());
            self.bytes.insert(self.bytes.end(), start, start + count);
        } catch (const std::bad_alloc&) {
            stored = false;  // an exception must not pass through libjpeg
        }
        if (!stored) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    }
};
static_assert(std::is_standard_layout_v<Destination>);

class JpegWriter {
  public:
    JpegWriter() = default;
    ~JpegWriter() { jpeg_destroy_compress(&jpeg_); }
    JpegWriter(const JpegWriter&) = delete;
    JpegWriter& operator=(const JpegWriter&) = delete;

    std::vector<std::byte> encode(const Image& image, int quality, std::span<const Marker> markers) {
        jpeg_.err = errors_.install(&jpeg_);
        const bool done = runs_without_jump(errors_.jump, [&, this] {
            jpeg_create_compress(&jpeg_);
            destination_.install(&jpeg_);
            jpeg_.image_width = image.width;
            jpeg_.image_height = image.height;
            jpeg_.input_components = 3;
            jpeg_.in_color_space = JCS_RGB;
            jpeg_set_defaults(&jpeg_);
            jpeg_set_quality(&jpeg_, quality, TRUE);
            jpeg_.optimize_coding = TRUE;
            jpeg_start_compress(&jpeg_, TRUE);
            for (const Marker& marker : markers) {
                jpeg_write_marker(&jpeg_, marker.code, reinterpret_cast<const JOCTET*>(marker.content.data()),
                                  static_cast<unsigned>(marker.content.size()));
            }
            const std::size_t stride = std::size_t{image.width} * 3;
            while (jpeg_.next_scanline < jpeg_.image_height) {
                // libjpeg does not write to it, but has no const in its interface
                auto* row = const_cast<JSAMPROW>(image.rgb.data() + jpeg_.next_scanline * stride);
                jpeg_write_scanlines(&jpeg_, &row, 1);
            }
            jpeg_finish_compress(&jpeg_);
        });
        if (!done)
            fail(ErrorCode::failure, "jpeg", "cannot encode the image: {}", printable(errors_.message()));
        return std::move(destination_.bytes);
    }

  private:
    jpeg_compress_struct jpeg_{};
    JpegErrors errors_;
    Destination destination_;
};

}  // namespace

bool is_comment_key(std::string_view key) noexcept {
    const auto bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == ':'; };
    return !key.empty() && key.size() <= kMaxKey && key.front() != ' ' && key.back() != ' ' && is_utf8(key) &&
           std::none_of(key.begin(), key.end(), bad);
}

bool has_room_in_jpeg(const ImageText& text) {
    return marker_of(text, true).content.size() <= kMaxMarker;
}

std::vector<std::byte> encode_jpeg(const Image& image, int quality, std::span<const ImageText> text) {
    check_writable(image, "jpeg");
    if (quality < 1 || quality > 100)
        fail(ErrorCode::usage, "jpeg", "the quality must be 1 to 100, not {}", quality);
    static_assert(kMaxJpegSide == JPEG_MAX_DIMENSION);
    if (image.width > kMaxJpegSide || image.height > kMaxJpegSide) {
        fail(ErrorCode::usage, "jpeg", "JPEG allows {} pixels a side, not {} x {}: write a PNG", kMaxJpegSide,
             image.width, image.height);
    }
    return JpegWriter().encode(image, quality, make_markers(text));
}

void write_jpeg(const std::filesystem::path& path, const Image& image, int quality,
                std::span<const ImageText> text) {
    const std::vector<std::byte> bytes = encode_jpeg(image, quality, text);
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

}  // namespace gass
