#include "io/exif.h"

#include "io/text_encoding.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace gass {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kHeader = "Exif\0\0"sv;
constexpr std::string_view kUnicode = "UNICODE\0"sv;
constexpr std::string_view kAscii = "ASCII\0\0\0"sv;
constexpr std::string_view kUnspecified = "\0\0\0\0\0\0\0\0"sv;
constexpr std::size_t kMaxExif = std::size_t{1}
                                 << 20U;         // JPEG allows 64 KiB; a PNG chunk has no limit of its own
constexpr std::size_t kMaxWritten = 0xFFFF - 2;  // a JPEG marker, whose length field counts itself

struct Unref {
    void operator()(ExifData* data) const { exif_data_unref(data); }
    void operator()(ExifEntry* entry) const { exif_entry_unref(entry); }
    void operator()(unsigned char* bytes) const {
        std::free(bytes);
    }  // NOLINT: libexif takes and gives malloc's memory
};

std::unique_ptr<ExifData, Unref> new_exif() {
    std::unique_ptr<ExifData, Unref> data(exif_data_new());
    if (!data) throw std::bad_alloc();
    // Otherwise libexif rewrites entries that it finds wrong, the comment's encoding among them.
    exif_data_unset_option(data.get(), EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
    return data;
}

unsigned orientation_of(ExifData& exif) {
    const ExifEntry* entry = exif_content_get_entry(exif.ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
    if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->size < 2) return 1;
    const unsigned value = exif_get_short(entry->data, exif_data_get_byte_order(&exif));
    return value >= 1 && value <= 8 ? value : 1;
}

/// EXIF says UTF-16 in the block's byte order. Tools that copy A1111's comment into a little-endian block
/// keep it big-endian, though: there, ASCII's zero bytes show which it is.
bool utf16_is_big_endian(std::span<const std::byte> utf16, ExifByteOrder order) {
    if (order == EXIF_BYTE_ORDER_MOTOROLA) return true;
    std::size_t zeros_first = 0;
    std::size_t zeros_second = 0;
    for (std::size_t i = 0; i + 1 < utf16.size(); i += 2) {
        zeros_first += utf16[i] == std::byte{0} ? 1U : 0U;
        zeros_second += utf16[i + 1] == std::byte{0} ? 1U : 0U;
    }
    return zeros_first > zeros_second;
}

std::string user_comment_of(ExifData& exif) {
    const ExifEntry* entry = exif_content_get_entry(exif.ifd[EXIF_IFD_EXIF], EXIF_TAG_USER_COMMENT);
    if (entry == nullptr || entry->data == nullptr || entry->size < kUnicode.size()) return {};
    const std::string_view bytes(reinterpret_cast<const char*>(entry->data), entry->size);
    const std::string_view code = bytes.substr(0, kUnicode.size());
    std::string_view content = bytes.substr(kUnicode.size());
    if (code == kUnicode) {
        const auto utf16 = std::as_bytes(std::span(content));
        return utf16_to_utf8(utf16, utf16_is_big_endian(utf16, exif_data_get_byte_order(&exif)));
    }
    if (code != kAscii && code != kUnspecified) return {};
    while (content.ends_with('\0')) content.remove_suffix(1);
    return utf8_or_latin1(content);
}

}  // namespace

ExifContent parse_exif(std::span<const std::byte> bytes) {
    if (bytes.size() > kMaxExif) return {};
    std::string block(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!block.starts_with(kHeader)) block.insert(0, kHeader);
    const auto exif = new_exif();
    exif_data_load_data(exif.get(), reinterpret_cast<const unsigned char*>(block.data()),
                        static_cast<unsigned>(block.size()));
    return {orientation_of(*exif), user_comment_of(*exif)};
}

bool fits_exif(std::string_view user_comment) {
    return make_exif(user_comment).size() <= kMaxWritten;
}

std::vector<std::byte> make_exif(std::string_view user_comment) {
    const auto exif = new_exif();
    exif_data_set_byte_order(exif.get(), EXIF_BYTE_ORDER_MOTOROLA);

    const std::vector<std::byte> utf16 = utf8_to_utf16_big_endian(user_comment);
    const std::size_t size = kUnicode.size() + utf16.size();
    const std::unique_ptr<ExifEntry, Unref> entry(exif_entry_new());
    std::unique_ptr<unsigned char, Unref> content(
        static_cast<unsigned char*>(std::malloc(size)));  // NOLINT: see Unref
    if (!entry || !content) throw std::bad_alloc();
    std::memcpy(content.get(), kUnicode.data(), kUnicode.size());
    if (!utf16.empty()) std::memcpy(content.get() + kUnicode.size(), utf16.data(), utf16.size());
    entry->tag = EXIF_TAG_USER_COMMENT;
    entry->format = EXIF_FORMAT_UNDEFINED;
    entry->components = size;
    entry->size = static_cast<unsigned>(size);
    entry->data = content.release();
    exif_content_add_entry(exif->ifd[EXIF_IFD_EXIF], entry.get());

    unsigned char* saved = nullptr;
    unsigned saved_size = 0;
    exif_data_save_data(exif.get(), &saved, &saved_size);
    const std::unique_ptr<unsigned char, Unref> owner(saved);
    if (saved == nullptr) throw std::bad_alloc();
    const auto block = std::as_bytes(std::span(saved, saved_size));
    return {block.begin(), block.end()};
}

}  // namespace gass
