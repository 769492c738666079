#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"
#include "core/wording.h"
#include "io/header_scanner.h"
#include "io/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace gass {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, and so are our reads of it");

struct DtypeRow {
    std::string_view name;
    std::size_t bytes;
};

// In the order of the enumeration.
constexpr std::array<DtypeRow, 16> kDtypes{{{"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8},
                                            {"C64", 8},
                                            {"F32", 4},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"F8_E4M3", 1},
                                            {"F8_E5M2", 1},
                                            {"I8", 1},
                                            {"U8", 1},
                                            {"BOOL", 1}}};

std::optional<Dtype> dtype_of(std::string_view name) {
    for (std::size_t i = 0; i < kDtypes.size(); ++i) {
        if (kDtypes[i].name == name) return static_cast<Dtype>(i);
    }
    return std::nullopt;
}

constexpr std::uint64_t kHeaderLimit = 100'000'000;  // the limit of the reference implementation
constexpr std::size_t kMaxDimensions = 32;

/// Reads the header's fixed grammar straight into TensorInfo: an object of tensors, each an object of dtype,
/// shape and data_offsets, and of "__metadata__", an object of strings. A general JSON tree of a 100 MB
/// header would cost gigabytes and several times the time.
class HeaderParser final : private HeaderScanner {
  public:
    HeaderParser(std::string_view text, std::string_view where) : HeaderScanner(text, where) {}

    SafetensorsHeader parse() {
        bool has_metadata = false;
        read_object([&](std::string name) {
            name_ = std::move(name);
            if (name_ != "__metadata__") return read_tensor();
            if (std::exchange(has_metadata, true)) complain("it occurs twice");
            read_metadata();
        });
        expect_end();
        return std::move(header_);
    }

  private:
    void read_metadata() {
        read_object([&](const std::string& key) {
            if (!header_.metadata.emplace(key, read_string()).second)
                complain("the key {} occurs twice", in_quotes(key));
        });
    }

    void read_tensor() {
        std::optional<Dtype> dtype;
        std::optional<std::vector<std::uint64_t>> shape;
        std::optional<std::vector<std::uint64_t>> offsets;
        read_object([&](const std::string& key) {
            if ((key == "dtype" && dtype) || (key == "shape" && shape) ||
                (key == "data_offsets" && offsets)) {
                complain("the key {} occurs twice", in_quotes(key));
            }
            if (key == "dtype") {
                dtype = read_dtype();
            } else if (key == "shape") {
                shape = read_numbers(kMaxDimensions);
            } else if (key == "data_offsets") {
                offsets = read_numbers(2);
            } else {
                complain("unknown key {}", in_quotes(key));
            }
        });
        if (!dtype) complain("\"dtype\" is missing");
        if (!shape) complain("\"shape\" is missing");
        if (!offsets) complain("\"data_offsets\" is missing");
        if (offsets->size() != 2) complain("data_offsets must be two numbers");
        add_tensor(*dtype, *shape, offsets->front(), offsets->back());
    }

    void add_tensor(Dtype dtype, const std::vector<std::uint64_t>& shape, std::uint64_t begin,
                    std::uint64_t end) {
        if (begin > end) complain("data_offsets [{}, {}] run backwards", begin, end);
        TensorInfo tensor{name_, dtype, {}, begin, end};
        tensor.shape.reserve(shape.size());
        std::uint64_t bytes = byte_size(dtype);
        for (const std::uint64_t size : shape) {
            if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
                __builtin_mul_overflow(bytes, size, &bytes)) {
                complain("the shape [{}] overflows", fmt::join(shape, ", "));
            }
            tensor.shape.push_back(static_cast<std::int64_t>(size));
        }
        if (bytes != tensor.byte_count()) {
            complain("{} of shape [{}] has {} bytes, but data_offsets [{}, {}] hold {}", to_string(dtype),
                     fmt::join(shape, ", "), bytes, begin, end, tensor.byte_count());
        }
        header_.tensors.push_back(std::move(tensor));
    }

    Dtype read_dtype() {
        const std::string name = read_string();
        const std::optional<Dtype> dtype = dtype_of(name);
        if (!dtype) complain("unknown element type {}", in_quotes(name));
        return *dtype;
    }

    /// Reads an object; `read_value` is called with each key, at its value.
    template <class ReadValue>
    void read_object(ReadValue read_value) {
        expect('{', "an object");
        if (accept('}')) return;
        do {
            std::string key = read_string();
            expect(':', "':'");
            read_value(std::move(key));
        } while (accept(','));
        expect('}', "',' or '}'");
    }

    std::vector<std::uint64_t> read_numbers(std::size_t limit) {
        std::vector<std::uint64_t> numbers;
        expect('[', "an array");
        if (accept(']')) return numbers;
        do {
            if (numbers.size() == limit) complain("more than {} numbers in an array", limit);
            numbers.push_back(read_number());
        } while (accept(','));
        expect(']', "',' or ']'");
        return numbers;
    }

    std::uint64_t read_number() {
        return read_whole<std::uint64_t>("a whole number of 0 or more, below 2^64");
    }

    std::string read_string() {
        expect('"', "a string");
        const std::size_t begin = position_;
        bool escaped = false;
        while (position_ < text_.size() && text_[position_] != '"') {
            if (static_cast<unsigned char>(text_[position_]) < 0x20)
                unexpected("no control character in a string");
            if (text_[position_] == '\\') {
                escaped = true;
                ++position_;  // whatever it is, a quote after it does not end the string
            }
            ++position_;
        }
        const std::string_view content = text_.substr(begin, position_ - begin);
        expect('"', "the end of a string");
        if (!escaped) {
            if (!is_utf8(content)) {
                fail(ErrorCode::model_invalid, where_,
                     "a string in the header is not UTF-8: {}; perhaps a damaged or incomplete download",
                     in_quotes(content));
            }
            return std::string(content);
        }
        // Escapes are rare: let the general parser decode them.
        return parse_json(text_.substr(begin - 1, content.size() + 2), where_).get<std::string>();
    }

    std::string described(const std::string& message) const override {
        const std::string place = name_.empty() ? "" : fmt::format("at {}: ", in_quotes(name_));
        return place + message + "; perhaps a damaged or incomplete download";
    }

    std::string name_;  // the entry we are in, for messages
    SafetensorsHeader header_;
};

void check_names(const std::vector<TensorInfo>& tensors, std::string_view where) {
    std::vector<std::string_view> names;
    names.reserve(tensors.size());
    for (const TensorInfo& tensor : tensors) names.push_back(tensor.name);
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
        fail(ErrorCode::model_invalid, where, "the tensor {} occurs twice", in_quotes(*twice));
    }
}

/// The tensors' bytes must fill the file exactly, one after the other.
void check_layout(std::vector<TensorInfo>& tensors, std::uint64_t data_size, std::string_view where) {
    std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t expected = 0;
    for (const TensorInfo& tensor : tensors) {
        if (tensor.end > data_size) {
            fail(ErrorCode::model_invalid, where,
                 "tensor {} ends at byte {} of the data, but the file holds {}; perhaps an incomplete "
                 "download",
                 in_quotes(tensor.name), tensor.end, data_size);
        }
        if (tensor.begin != expected) {
            fail(ErrorCode::model_invalid, where, "tensor {} begins at byte {} of the data, expected {}: {}",
                 in_quotes(tensor.name), tensor.begin, expected,
                 tensor.begin < expected ? "tensors overlap" : "there is a gap before it");
        }
        expected = tensor.end;
    }
    if (expected != data_size) {
        fail(ErrorCode::model_invalid, where, "the file goes on for {} after the last tensor",
             counted(data_size - expected, "byte"));
    }
}

/// What the file seems to be if it is no safetensors file, "" if that cannot be told.
std::string_view other_format(std::span<const std::byte> file) {
    const std::string_view head(reinterpret_cast<const char*>(file.data()),
                                std::min<std::size_t>(file.size(), 64));
    if (head.starts_with("PK\x03\x04")) return "a PyTorch checkpoint (zip with pickle)";
    if (head.starts_with("\x80\x02") || head.starts_with("\x80\x03") || head.starts_with("\x80\x04")) {
        return "a Python pickle";
    }
    if (head.starts_with("GGUF")) return "a GGUF file";
    if (head.starts_with("version https://git-lfs")) return "a Git LFS pointer, not the file itself";
    if (head.starts_with("<!DOCTYPE") || head.starts_with("<html")) return "an HTML page";
    return "";
}

}  // namespace

std::string_view to_string(Dtype dtype) noexcept {
    return kDtypes[static_cast<std::size_t>(dtype)].name;
}

std::size_t byte_size(Dtype dtype) noexcept {
    return kDtypes[static_cast<std::size_t>(dtype)].bytes;
}

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, std::string_view where) {
    constexpr std::size_t kLengthField = 8;
    // Only where no header begins: a header of 640 bytes has the length field of a pickle.
    const bool has_header = file.size() > kLengthField && file[kLengthField] == std::byte{'{'};
    if (const std::string_view other = other_format(file); !has_header && !other.empty()) {
        fail(ErrorCode::model_invalid, where,
             "expected a safetensors file, this looks like {}. Only safetensors files are opened; convert it "
             "first",
             other);
    }
    if (file.size() < kLengthField) {
        fail(ErrorCode::model_invalid, where, "a file of {} is too short to be safetensors",
             counted(file.size(), "byte"));
    }
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), kLengthField);
    if (length > kHeaderLimit) {
        fail(ErrorCode::model_invalid, where,
             "the header claims {} bytes, more than the {} the format allows; not a safetensors file, or "
             "damaged",
             length, kHeaderLimit);
    }
    if (length > file.size() - kLengthField) {
        fail(ErrorCode::model_invalid, where,
             "the header claims {} bytes, but only {} follow; perhaps an incomplete download", length,
             file.size() - kLengthField);
    }
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthField, length);
    if (!text.starts_with('{')) {
        fail(ErrorCode::model_invalid, where,
             "the header must begin with '{{'; not a safetensors file, or damaged");
    }
    SafetensorsHeader header = HeaderParser(text, where).parse();
    header.data_offset = kLengthField + length;
    check_names(header.tensors, where);
    check_layout(header.tensors, file.size() - header.data_offset, where);
    return header;
}

}  // namespace gass
