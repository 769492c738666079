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

class PngReader {
  public:
    PngReader(std::span<const std::byte> bytes, std::string_view where)
        : left_(bytes), size_(bytes.size()), where_(where) {}
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
            static constexpr auto kUsed = "tEXt\0zTXt\0iTXt\0eXIf"sv;
            png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
            png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT,
                                        reinterpret_cast<const png_byte*>(kUsed.data()), 4);
            png_read_info(png_, info_);
        });
        ImageInfo info;
        info.format = ImageFormat::png;
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
        if (png_get_rowbytes(png_, info_) * height / kDeflateLimit > size_) {
            fail(ErrorCode::model_invalid, where_,
                 "the PNG image is damaged: its {} bytes cannot hold {} x {} pixels", size_,
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
        if (count > reader->left_.size()) png_error(png, "the file ends too early");
        std::memcpy(out, reader->left_.data(), count);
        reader->left_ = reader->left_.subspan(count);
    }

    std::jmp_buf jump_{};
    std::array<char, 200> message_{};
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::span<const std::byte> left_;
    std::size_t size_;
    std::string_view where_;
};

/// The file without its pixels: libpng cannot pass over them without unpacking, and text may stand behind
/// them.
std::vector<std::byte> without_pixels(std::span<const std::byte> bytes, std::string_view where) {
    const auto type_of = [](std::span<const std::byte> chunk) {
        return std::string_view(reinterpret_cast<const char*>(chunk.data()) + 4, 4);
    };
    std::vector<std::byte> kept;
    std::span<const std::byte> first_pixels;
    const auto append = [&](std::span<const std::byte> part) {
        kept.insert(kept.end(), part.begin(), part.end());
    };
    append(bytes.first(std::min(bytes.size(), kSignature)));
    auto left = bytes.subspan(kept.size());
    while (true) {
        if (left.size() < kChunkHeader + kChunkCrc) {
            fail(ErrorCode::model_invalid, where, "the PNG image is damaged: the file ends too early");
        }
        const std::size_t length = png_get_uint_32(reinterpret_cast<png_const_bytep>(left.data()));
        if (length > left.size() - kChunkHeader - kChunkCrc) {
            fail(ErrorCode::model_invalid, where,
                 "the PNG image is damaged: the chunk {} is longer than the file", in_quotes(type_of(left)));
        }
        const auto chunk = left.first(kChunkHeader + length + kChunkCrc);
        if (type_of(chunk) == "IEND") break;
        if (type_of(chunk) != "IDAT") {
            append(chunk);
        } else if (first_pixels.empty()) {
            first_pixels = chunk.first(kChunkHeader);
        }
        left = left.subspan(chunk.size());
    }
    append(first_pixels);  // where libpng stops reading the header
    return kept;
}

}  // namespace

ImageFile decode_png(std::span<const std::byte> bytes, std::string_view where, Orientation orientation) {
    PngReader reader(bytes, where);
    ImageFile file;
    file.info = reader.read_header();
    file.image = reader.read_pixels();
    file.info.text = reader.text();
    file.info.orientation = reader.orientation();
    if (orientation == Orientation::upright) show_upright(file, where);
    return file;
}

ImageInfo decode_png_info(std::span<const std::byte> bytes, std::string_view where) {
    const std::vector<std::byte> kept = without_pixels(bytes, where);
    PngReader reader(kept, where);
    ImageInfo info = reader.read_header();
    info.text = reader.text();
    info.orientation = reader.orientation();
    show_upright(info);
    return info;
}

}  // namespace gass
