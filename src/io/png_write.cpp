#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"
#include "io/image_codec.h"
#include "io/png.h"
#include "io/text_encoding.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace gass {
namespace {

constexpr std::size_t kMaxKeyword = 79;

/// The key as a PNG keyword.
std::string checked_keyword(std::string_view key) {
    const std::optional<std::string> latin1 = utf8_to_latin1(key);
    const auto printable_latin1 = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte >= 0x20 && byte < 0x7F) || byte > 0xA0;
    };
    if (!latin1 || latin1->empty() || latin1->size() > kMaxKeyword || latin1->front() == ' ' ||
        latin1->back() == ' ' || latin1->find("  ") != std::string::npos ||
        !std::all_of(latin1->begin(), latin1->end(), printable_latin1)) {
        fail(ErrorCode::usage, "png text",
             "a key must be 1 to {} printable Latin-1 characters without spaces at its ends or in pairs, not "
             "{}",
             kMaxKeyword, in_quotes(key));
    }
    return *latin1;
}

/// A text chunk whose strings have the encoding that its kind asks for.
struct EncodedText {
    std::string keyword;
    std::string value;
    bool international;
};

EncodedText encode_text(const ImageText& text) {
    check_text(text, "png text");
    std::optional<std::string> latin1 = utf8_to_latin1(text.value);
    if (latin1) return {checked_keyword(text.key), std::move(*latin1), false};
    return {checked_keyword(text.key), text.value, true};
}

class PngWriter {
  public:
    PngWriter() = default;
    ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    std::vector<std::byte> encode(const Image& image, std::span<const ImageText> text) {
        std::vector<EncodedText> encoded;
        for (const ImageText& entry : text) encoded.push_back(encode_text(entry));
        std::vector<png_text> chunks = as_chunks(encoded);
        const bool done = runs_without_jump(jump_, [&, this] {
            png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
            if (png_ == nullptr) give_up("no memory");
            info_ = png_create_info_struct(png_);
            if (info_ == nullptr) give_up("no memory");
            png_set_write_fn(png_, this, on_write, nullptr);
            png_set_IHDR(png_, info_, image.width, image.height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                         PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
            png_set_text(png_, info_, chunks.data(), static_cast<int>(chunks.size()));
            png_write_info(png_, info_);
            const std::size_t stride = std::size_t{image.width} * 3;
            for (std::size_t y = 0; y < image.height; ++y) png_write_row(png_, image.rgb.data() + y * stride);
            png_write_end(png_, nullptr);
        });
        if (!done) fail(ErrorCode::failure, "png", "cannot encode the image: {}", printable(message_.data()));
        return std::move(bytes_);
    }

  private:
    static std::vector<png_text> as_chunks(std::vector<EncodedText>& encoded) {
        static char empty[] = "";
        std::vector<png_text> chunks;
        for (EncodedText& entry : encoded) {
            png_text chunk{};
            chunk.compression = entry.international ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE;
            chunk.key = entry.keyword.data();
            chunk.text = entry.value.data();
            chunk.lang = empty;
            chunk.lang_key = empty;
            chunks.push_back(chunk);
        }
        return chunks;
    }

    [[noreturn]] void give_up(const char* message) {
        std::strncpy(message_.data(), message, message_.size() - 1);
        std::longjmp(jump_, 1);
    }

    [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
        static_cast<PngWriter*>(png_get_error_ptr(png))->give_up(message);
    }

    /// A warning would mean that libpng changed what we asked for.
    [[noreturn]] static void on_warning(png_structp png, png_const_charp message) { on_error(png, message); }

    static void on_write(png_structp png, png_bytep data, std::size_t count) {
        auto& bytes = static_cast<PngWriter*>(png_get_io_ptr(png))->bytes_;
        bool stored = true;
        try {
            const auto* start = reinterpret_cast<const std::byte*>(data);
            bytes.insert(bytes.end(), start, start + count);
        } catch (const std::bad_alloc&) {
            stored = false;  // an exception must not pass through libpng
        }
        if (!stored) png_error(png, "no memory");
    }

    std::jmp_buf jump_{};
    std::array<char, 200> message_{};
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> encode_png(const Image& image, std::span<const ImageText> text) {
    check_writable(image, "png");
    return PngWriter().encode(image, text);
}

void write_png(const std::filesystem::path& path, const Image& image, std::span<const ImageText> text) {
    const std::vector<std::byte> bytes = encode_png(image, text);
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

}  // namespace gass
