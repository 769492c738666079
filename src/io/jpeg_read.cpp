#include "core/fail.h"
#include "core/quote.h"
#include "io/exif.h"
#include "io/image_codec.h"
#include "io/jpeg.h"
#include "io/jpeg_library.h"
#include "io/picture_format.h"
#include "io/text_encoding.h"
#include "io/xmp.h"

#include <algorithm>
#include <optional>

namespace gass {
namespace {

using namespace std::string_view_literals;

// Each scan of a progressive file passes over the whole image, however few bytes it has. Encoders write about
// ten.
constexpr int kMaxScans = 64;

// Every block of a Huffman-coded file takes a bit at least; subsampling leaves no fewer than a block for 16 x
// 16 pixels in the files that exist. Arithmetic coding has no such limit, but needs this much in practice
// too.
constexpr std::uint64_t kMaxPixelsPerByte = std::uint64_t{16} * 16 * 8;

constexpr std::size_t kMaxComment = std::size_t{1} << 20U;

/// What libjpeg calls a warning: some say that pixels are lost, the others are about sloppy files.
bool loses_pixels(int message) {
    constexpr std::array kLosing = {JWRN_ARITH_BAD_CODE, JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_JPEG_EOF,
                                    JWRN_MUST_RESYNC};
    return std::find(kLosing.begin(), kLosing.end(), message) != kLosing.end();
}

/// Pillow's conversion, to the bit. The samples are inverted, as Adobe's programs write them.
void cmyk_to_rgb(std::span<const JSAMPLE> cmyk, std::uint8_t* rgb) {
    const auto scaled = [](unsigned a, unsigned b) {
        const unsigned product = a * b + 128;
        return ((product >> 8U) + product) >> 8U;
    };
    for (std::size_t i = 0; i + 3 < cmyk.size(); i += 4) {
        const unsigned light = cmyk[i + 3];
        for (std::size_t c = 0; c < 3; ++c)
            *rgb++ = static_cast<std::uint8_t>(light - scaled(255U - cmyk[i + c], light));
    }
}

/// "key: value", as encode_jpeg writes comments.
ImageText parse_comment(std::string_view comment) {
    while (comment.ends_with('\0')) comment.remove_suffix(1);
    const std::size_t colon = comment.find(": ");
    if (colon != std::string_view::npos && is_comment_key(comment.substr(0, colon))) {
        return {std::string(comment.substr(0, colon)), utf8_or_latin1(comment.substr(colon + 2))};
    }
    return {"comment", utf8_or_latin1(comment)};
}

class JpegReader {
  public:
    JpegReader(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}
    ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    /// With the size as stored.
    ImageInfo read_header() {
        jpeg_.err = errors_.install(&jpeg_);
        errors_.on_warning = loses_pixels;
        progress_.progress_monitor = on_progress;
        guarded([this] {
            jpeg_create_decompress(&jpeg_);
            jpeg_.progress = &progress_;
            jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
            jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, 0xFFFF);
            jpeg_save_markers(&jpeg_, JPEG_COM, 0xFFFF);
            jpeg_read_header(&jpeg_, TRUE);
        });
        ImageInfo info;
        info.width = jpeg_.image_width;
        info.height = jpeg_.image_height;
        info.color = color();
        info.bit_depth = static_cast<unsigned>(jpeg_.data_precision);
        info.progressive = jpeg_.progressive_mode != FALSE;
        check_pixel_count(info.width, info.height, where_);
        read_markers(info);
        return info;
    }

    /// The pixels as stored, up to the end marker.
    Image read_pixels() {
        Image image;
        image.width = jpeg_.image_width;
        image.height = jpeg_.image_height;
        if (std::uint64_t{image.width} * image.height / kMaxPixelsPerByte > bytes_.size()) {
            fail(ErrorCode::model_invalid, where_,
                 "the JPEG image is damaged: its {} bytes cannot hold {} x {} pixels", bytes_.size(),
                 image.width, image.height);
        }
        image.rgb = reserve_bytes(std::size_t{image.width} * image.height * 3, where_);
        const bool cmyk = color() == ImageColor::cmyk || color() == ImageColor::ycck;
        std::vector<JSAMPLE> cmyk_row(cmyk ? std::size_t{image.width} * 4 : 0);
        guarded([&, this] {
            jpeg_.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
            jpeg_start_decompress(&jpeg_);
            const std::size_t stride = std::size_t{image.width} * 3;
            while (jpeg_.output_scanline < jpeg_.output_height) {
                std::uint8_t* out = image.rgb.data() + jpeg_.output_scanline * stride;
                JSAMPROW row = cmyk ? cmyk_row.data() : out;
                jpeg_read_scanlines(&jpeg_, &row, 1);
                if (cmyk) cmyk_to_rgb(cmyk_row, out);
            }
            jpeg_finish_decompress(&jpeg_);
        });
        return image;
    }

  private:
    template <class Work>
    void guarded(Work work) {
        if (runs_without_jump(errors_.jump, work)) return;
        if (errors_.code() == JERR_OUT_OF_MEMORY)
            fail(ErrorCode::out_of_memory, where_, "no memory to read the image");
        if (errors_.code() == JWRN_JPEG_EOF) {
            fail(ErrorCode::model_invalid, where_, "the JPEG image is damaged: the file ends too early");
        }
        fail(ErrorCode::model_invalid, where_, "the JPEG image is damaged or of an unsupported kind: {}",
             printable(errors_.message()));
    }

    ImageColor color() const {
        switch (jpeg_.jpeg_color_space) {
            case JCS_GRAYSCALE:
                return ImageColor::gray;
            case JCS_RGB:
                return ImageColor::rgb;
            case JCS_YCbCr:
                return ImageColor::ycbcr;
            case JCS_CMYK:
                return ImageColor::cmyk;
            case JCS_YCCK:
                return ImageColor::ycck;
            default:
                fail(ErrorCode::model_invalid, where_, "expected 1, 3 or 4 colour channels, found {}",
                     jpeg_.num_components);
        }
    }

    void read_markers(ImageInfo& info) const {
        bool exif_seen = false;
        std::optional<std::string> record;
        std::vector<ImageText> comments;
        std::size_t total = 0;
        for (jpeg_saved_marker_ptr marker = jpeg_.marker_list; marker != nullptr; marker = marker->next) {
            const std::string_view content(reinterpret_cast<const char*>(marker->data), marker->data_length);
            if (marker->marker == JPEG_COM) {
                total += content.size();
                if (total > kMaxComment)
                    fail(ErrorCode::model_invalid, where_, "the comments exceed {} bytes", kMaxComment);
                comments.push_back(parse_comment(content));
            } else if (!exif_seen && content.starts_with("Exif\0\0"sv)) {
                exif_seen = true;
                const ExifContent exif = parse_exif(std::as_bytes(std::span(content)));
                info.orientation = exif.orientation;
                if (!exif.user_comment.empty())
                    info.text.push_back({std::string(kParametersKey), exif.user_comment});
            } else if (!record && content.starts_with(kXmpMark)) {
                record = parse_xmp(std::as_bytes(std::span(content.substr(kXmpMark.size()))));
            }
        }
        if (record) info.text.push_back({std::string(kRecordKey), *record});
        info.text.insert(info.text.end(), comments.begin(), comments.end());
    }

    static void on_progress(j_common_ptr common) {
        auto* jpeg = reinterpret_cast<j_decompress_ptr>(common);
        if (jpeg->input_scan_number > kMaxScans) ERREXIT(jpeg, JERR_BAD_PROGRESSION);
    }

    jpeg_decompress_struct jpeg_{};
    jpeg_progress_mgr progress_{};
    JpegErrors errors_;
    std::span<const std::byte> bytes_;
    std::string_view where_;
};

}  // namespace

ImageFile decode_jpeg(std::span<const std::byte> bytes, std::string_view where, Orientation orientation) {
    JpegReader reader(bytes, where);
    ImageFile file;
    file.info = reader.read_header();
    file.image = reader.read_pixels();
    if (orientation == Orientation::upright) show_upright(file, where);
    return file;
}

ImageInfo decode_jpeg_info(std::span<const std::byte> bytes, std::string_view where) {
    ImageInfo info = JpegReader(bytes, where).read_header();
    show_upright(info);
    return info;
}

}  // namespace gass
