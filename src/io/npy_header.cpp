#include "io/npy_header.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/header_scanner.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace gass {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Names of structured types, which we refuse, are the only thing that could make a longer one.
constexpr std::size_t kMaxHeader = 65536;

constexpr std::array<std::pair<Dtype, std::string_view>, 12> kNames{{{Dtype::F64, "f8"},
                                                                     {Dtype::F32, "f4"},
                                                                     {Dtype::F16, "f2"},
                                                                     {Dtype::I64, "i8"},
                                                                     {Dtype::I32, "i4"},
                                                                     {Dtype::I16, "i2"},
                                                                     {Dtype::I8, "i1"},
                                                                     {Dtype::U64, "u8"},
                                                                     {Dtype::U32, "u4"},
                                                                     {Dtype::U16, "u2"},
                                                                     {Dtype::U8, "u1"},
                                                                     {Dtype::BOOL, "b1"}}};

/// Reads the header's text, a Python dictionary of exactly three entries in any order:
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, spaces and a new line after it.
class HeaderText final : private HeaderScanner {
  public:
    HeaderText(std::string_view text, std::string_view where) : HeaderScanner(text, where) {}

    NpyHeader parse() {
        expect('{', "a dictionary");
        while (!accept('}')) {
            read_entry();
            if (accept(',')) continue;
            expect('}', "',' or '}'");
            break;
        }
        expect_end();
        for (const auto& [seen, key] :
             {std::pair(has_type_, "descr"), {has_order_, "fortran_order"}, {has_shape_, "shape"}}) {
            if (!seen) complain("{} is missing in the header", in_quotes(key));
        }
        return std::move(header_);
    }

  private:
    void read_entry() {
        const std::string_view key = read_string("a key");
        expect(':', "':'");
        bool known = false;
        if (key == "descr") {
            known = !std::exchange(has_type_, true);
            read_type();
        } else if (key == "fortran_order") {
            known = !std::exchange(has_order_, true);
            read_order();
        } else if (key == "shape") {
            known = !std::exchange(has_shape_, true);
            read_shape();
        }
        if (!known) complain("the key {} is unknown, or occurs twice", in_quotes(key));
    }

    void read_type() {
        if (accept('[')) complain("the elements are structured; only plain numbers are read");
        const std::string_view type = read_string("an element type");
        const std::string_view name = type.empty() ? type : type.substr(1);
        if (name.starts_with('O'))
            complain("the elements are Python objects, which need a pickle; pickles are never opened");
        const auto row = std::ranges::find(kNames, name, &std::pair<Dtype, std::string_view>::second);
        const bool one_byte = row != kNames.end() && byte_size(row->first) == 1;
        if (row == kNames.end() || !(type[0] == '<' || type[0] == '>' || (type[0] == '|' && one_byte)))
            complain("element type {}; expected f2, f4, f8, i1 to i8, u1 to u8 or b1 with its byte order",
                     in_quotes(type));
        header_.dtype = row->first;
        header_.big_endian = type[0] == '>' && !one_byte;
    }

    void read_order() {
        skip_space();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (!text_.substr(position_).starts_with(word)) continue;
            position_ += word.size();
            header_.fortran_order = value;
            return;
        }
        unexpected("True or False");
    }

    void read_shape() {
        expect('(', "a shape in parentheses");
        bool comma = true;
        while (!accept(')')) {
            if (!comma) unexpected("',' or ')'");
            if (header_.shape.size() == kMaxNpyDimensions)
                complain("more than {} dimensions", kMaxNpyDimensions);
            header_.shape.push_back(read_size());
            comma = accept(',');
        }
        // In Python (3) is a number; (3,) is a shape.
        if (header_.shape.size() == 1 && !comma) complain("the shape is not a tuple");
    }

    std::int64_t read_size() {
        const auto size = read_whole<std::int64_t>("a size of 0 or more, below 2^63");
        if (!at_end() && text_[position_] == 'L') ++position_;  // Python 2's long
        return size;
    }

    std::string_view read_string(std::string_view what) {
        skip_space();
        const char quote = position_ < text_.size() ? text_[position_] : '\0';
        if (quote != '\'' && quote != '"') unexpected(what);
        const std::size_t begin = position_ + 1;
        const std::size_t end = text_.find(quote, begin);
        const std::string_view content = text_.substr(begin, end == std::string_view::npos ? 0 : end - begin);
        // No key or type of ours has an escape or a control character in it.
        const bool plain = std::ranges::none_of(
            content, [](char c) { return c == '\\' || static_cast<unsigned char>(c) < 0x20; });
        if (end == std::string_view::npos || !plain) unexpected(what);
        position_ = end + 1;
        return content;
    }

    NpyHeader header_;
    bool has_type_ = false;
    bool has_order_ = false;
    bool has_shape_ = false;
};

std::size_t little_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> file, std::string_view where) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    const std::size_t fixed = kMagic.size() + 2;
    if (text.size() < fixed || !text.starts_with(kMagic))
        fail(ErrorCode::model_invalid, where, "not a .npy file: it does not begin as NumPy's arrays do");
    const int version = text[kMagic.size()];
    if (version < 1 || version > 3 || text[kMagic.size() + 1] != 0)
        fail(ErrorCode::model_invalid, where, "version {}.{} of the .npy format; 1.0 to 3.0 are read",
             static_cast<int>(static_cast<unsigned char>(text[kMagic.size()])),
             static_cast<int>(static_cast<unsigned char>(text[kMagic.size() + 1])));
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t begin = fixed + length_bytes;
    if (text.size() < begin) fail(ErrorCode::model_invalid, where, "the file ends in its header");
    const std::size_t length = little_endian(text.substr(fixed, length_bytes));
    if (length > kMaxHeader || length > text.size() - begin)
        fail(ErrorCode::model_invalid, where,
             "the header claims {} bytes; at most {} are read, and {} follow in the file", length, kMaxHeader,
             text.size() - begin);

    NpyHeader header = HeaderText(text.substr(begin, length), where).parse();
    header.data_offset = begin + length;
    const std::optional<std::uint64_t> needed = npy_byte_count(header.dtype, header.shape);
    const std::size_t held = text.size() - header.data_offset;
    if (needed != held)
        fail(ErrorCode::model_invalid, where,
             "{} of shape [{}] needs {} bytes, but {} follow the header; perhaps an incomplete file",
             to_string(header.dtype), fmt::join(header.shape, ", "),
             needed ? std::to_string(*needed) : "too many", held);
    return header;
}

std::string_view numpy_name(Dtype dtype) noexcept {
    const auto* row = std::ranges::find(kNames, dtype, &std::pair<Dtype, std::string_view>::first);
    return row == kNames.end() ? std::string_view() : row->second;
}

std::optional<std::uint64_t> npy_byte_count(Dtype dtype, std::span<const std::int64_t> shape) noexcept {
    std::uint64_t bytes = byte_size(dtype);
    for (const std::int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes))
            return std::nullopt;
    }
    return bytes;
}

}  // namespace gass
