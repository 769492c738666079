#include "core/fail.h"
#include "core/quote.h"
#include "io/exif.h"
#include "io/image_codec.h"
#include "io/png.h"
#include "io/text_encoding.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gass {
namespace {

using namespace std::string_view_literals;

// The unpacked text of a hostile file stays below their product.
constexpr png_alloc_size_t kMaxTextBytes = png_alloc_size_t{4} << 20U;
constexpr png_uint_32 kMaxTextChunks = 64;

/// Chunks that we read if they are there, as libpng takes such a list.
constexpr auto kUsedChunks = "tEXt\0zTXt\0iTXt\0eXIf"sv;

constexpr std::size_t kSignature = 8;
constexpr std::size_t kChunkHeader = 8;
constexpr std::size_t kChunkCrc = 4;

ImageColor color_of(png_byte type) {
    switch (type) {
        case PNG_COLOR_TYPE_GRAY:
            return ImageColor::gray;
        case PNG_COLOR_TYPE_GRAY_ALPHA:
            return ImageColor::gray_alpha;
        case PNG_COLOR_TYPE_PALETTE:
            return ImageColor::palette;
        case PNG_COLOR_TYPE_RGB:
            return ImageColor::rgb;
        default:
            return ImageColor::rgba;
    }
}

using Bytes = std::span<const std::byte>;

class PngReader {
  public:
    /// The file in one part or several, which must live as long.
    PngReader(std::vector<Bytes> parts, std::string_view where) : parts_(std::move(parts)), where_(where) {}
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    /// Everything in front of the pixels.
    ImageInfo read_header() {
        guarded([this] {
            png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
            if (png_ != nullptr) info_ = png_create_info_struct(png_);
        });
        if (info_ == nullptr) fail(ErrorCode::out_of_memory, where_, "no memory to read the image");
        guarded([this] {
            png_set_read_fn(png_, this, on_read);
            png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
            png_set_chunk_malloc_max(png_, kMaxTextBytes);
            png_set_chunk_cache_max(png_, kMaxTextChunks);
            // Colour profiles and the like are not applied, so a slip in one of them is no reason to refuse
            // the image.
            png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
            png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT,
                                        reinterpret_cast<const png_byte*>(kUsedChunks.data()), 4);
            png_read_info(png_, info_);
        });
        ImageInfo info;
        info.width = png_get_image_width(png_, info_);
        info.height = png_get_image_height(png_, info_);
        info.color = color_of(png_get_color_type(png_, info_));
        info.bit_depth = png_get_bit_depth(png_, info_);
        info.progressive = png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
        check_pixel_count(info.width, info.height, where_);
        return info;
    }

    /// The pixels as stored, then the rest of the file.
    Image read_pixels() {
        Image image;
        image.width = png_get_image_width(png_, info_);
        image.height = png_get_image_height(png_, info_);
        refuse_impossible_compression(image.height);
        image.rgb = reserve_bytes(std::size_t{image.width} * image.height * 3, where_);
        guarded([this, &image] {
            png_set_expand(png_);
            png_set_strip_16(png_);
            png_set_strip_alpha(png_);
            png_set_gray_to_rgb(png_);
            const int passes = png_set_interlace_handling(png_);
            png_read_update_info(png_, info_);
            const std::size_t stride = std::size_t{image.width} * 3;
            if (png_get_rowbytes(png_, info_) != stride) png_error(png_, "unexpected row size");
            for (int pass = 0; pass < passes; ++pass) {
                for (std::size_t y = 0; y < image.height; ++y)
                    png_read_row(png_, image.rgb.data() + y * stride, nullptr);
            }
            png_read_end(png_, info_);
        });
        return image;
    }

    std::vector<ImageText> text() const {
        std::vector<ImageText> result;
        png_textp chunks = nullptr;
        int count = 0;
        png_get_text(png_, info_, &chunks, &count);
        for (const png_text& chunk : std::span(chunks, static_cast<std::size_t>(count))) {
            const bool international = chunk.compression >= PNG_ITXT_COMPRESSION_NONE;
            const std::string_view value(chunk.text, international ? chunk.itxt_length : chunk.text_length);
            result.push_back(
                {latin1_to_utf8(chunk.key), international ? utf8_or_latin1(value) : latin1_to_utf8(value)});
        }
        return result;
    }

    unsigned orientation() const {
        png_bytep bytes = nullptr;
        png_uint_32 size = 0;
        if (png_get_eXIf_1(png_, info_, &size, &bytes) == 0) return 1;
        return parse_exif(std::as_bytes(std::span(bytes, size))).orientation;
    }

  private:
    template <class Work>
    void guarded(Work work) {
        if (!runs_without_jump(jump_, work)) {
            fail(ErrorCode::model_invalid, where_, "the PNG image is damaged: {}",
                 printable(message_.data()));
        }
    }

    /// Deflate packs at most 1032 to 1: a small file that claims many pixels is not worth their memory.
    void refuse_impossible_compression(std::size_t height) const {
        constexpr std::size_t kDeflateLimit = 1032;
        std::size_t size = 0;
        for (const Bytes part : parts_) size += part.size();
        if (png_get_rowbytes(png_, info_) * height / kDeflateLimit > size) {
            fail(ErrorCode::model_invalid, where_,
                 "the PNG image is damaged: its {} bytes cannot hold {} x {} pixels", size,
                 png_get_image_width(png_, info_), height);
        }
    }

    [[noreturn]] void give_up(const char* message) {
        std::strncpy(message_.data(), message, message_.size() - 1);
        std::longjmp(jump_, 1);
    }

    [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
        static_cast<PngReader*>(png_get_error_ptr(png))->give_up(message);
    }

    /// libpng drops a text chunk that is too large or broken with a warning; text lost in silence would be
    /// worse than a refused file. Its messages begin with the chunk's name.
    static void on_warning(png_structp png, png_const_charp message) {
        for (const char* name : {"tEXt:", "zTXt:", "iTXt:"}) {
            if (std::strncmp(message, name, 5) == 0)
                static_cast<PngReader*>(png_get_error_ptr(png))->give_up(message);
        }
    }

    static void on_read(png_structp png, png_bytep out, std::size_t count) {
        auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
        while (count > 0) {
            if (reader->part_ == reader->parts_.size()) png_error(png, "the file ends too early");
            const Bytes part = reader->parts_[reader->part_];
            const std::size_t taken = std::min(count, part.size() - reader->offset_);
            std::memcpy(out, part.data() + reader->offset_, taken);
            out += taken;
            count -= taken;
            reader->offset_ += taken;
            if (reader->offset_ < part.size()) continue;
            ++reader->part_;
            reader->offset_ = 0;
        }
    }

    std::jmp_buf jump_{};
    std::array<char, 200> message_{};
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::vector<Bytes> parts_;
    std::size_t part_ = 0;    // that is read next
    std::size_t offset_ = 0;  // in it
    std::string_view where_;
};

/// The parts of the file that say what it is, without its pixels: libpng cannot pass over them without
/// unpacking, and text may stand behind them.
std::vector<Bytes> parts_of_header(Bytes bytes, std::string_view where) {
    constexpr std::size_t kMaxParts = 4 * kMaxTextChunks;
    std::vector<Bytes> parts{bytes.first(std::min(bytes.size(), kSignature))};
    Bytes first_pixels;
    for (Bytes left = bytes.subspan(parts.front().size());;) {
        if (left.size() < kChunkHeader + kChunkCrc)
            fail(ErrorCode::model_invalid, where, "the PNG image is damaged: the file ends too early");
        const std::size_t length = png_get_uint_32(reinterpret_cast<png_const_bytep>(left.data()));
        const std::string_view type(reinterpret_cast<const char*>(left.data()) + 4, 4);
        if (length > left.size() - kChunkHeader - kChunkCrc) {
            fail(ErrorCode::model_invalid, where,
                 "the PNG image is damaged: the chunk {} is longer than the file", in_quotes(type));
        }
        if (type == "IEND") break;
        const Bytes chunk = left.first(kChunkHeader + length + kChunkCrc);
        left = left.subspan(chunk.size());
        const bool is_critical = type.front() >= 'A' && type.front() <= 'Z';
        if (type == "IDAT") {
            if (first_pixels.empty()) first_pixels = chunk.first(kChunkHeader);
        } else if (is_critical || kUsedChunks.find(type) != std::string_view::npos) {
            parts.push_back(chunk);
        }
        if (parts.size() > kMaxParts)
            fail(ErrorCode::model_invalid, where, "the PNG image has more than {} pieces of text",
                 kMaxTextChunks);
    }
    if (!first_pixels.empty()) parts.push_back(first_pixels);  // where libpng stops reading the header
    return parts;
}

}  // namespace

ImageFile decode_png(std::span<const std::byte> bytes, std::string_view where, Orientation orientation) {
    PngReader reader({bytes}, where);
    ImageFile file;
    file.info = reader.read_header();
    file.image = reader.read_pixels();
    file.info.text = reader.text();
    file.info.orientation = reader.orientation();
    if (orientation == Orientation::upright) show_upright(file, where);
    return file;
}

ImageInfo decode_png_info(std::span<const std::byte> bytes, std::string_view where) {
    PngReader reader(parts_of_header(bytes, where), where);
    ImageInfo info = reader.read_header();
    info.text = reader.text();
    info.orientation = reader.orientation();
    show_upright(info);
    return info;
}

bool carries_text(const std::filesystem::path& path, const ImageText& text) {
    try {
        const MappedFile file = map_image(path);
        const std::vector<ImageText> texts = decode_png_info(file.bytes(), path.string()).text;
        return std::ranges::find(texts, text) != texts.end();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace gass
