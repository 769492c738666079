#include <gass/error.h>

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace gass {
namespace {

struct CodeRow {
    ErrorCode code;
    std::string_view name;
    int exit_status;
    int http_status;
};

constexpr std::array kCodes{
    CodeRow{ErrorCode::failure, "failure", 1, 500},
    CodeRow{ErrorCode::io, "io", 1, 500},
    CodeRow{ErrorCode::usage, "usage", 2, 400},
    CodeRow{ErrorCode::model_not_found, "model_not_found", 3, 404},
    CodeRow{ErrorCode::model_invalid, "model_invalid", 3, 422},
    CodeRow{ErrorCode::out_of_memory, "out_of_memory", 4, 503},
    CodeRow{ErrorCode::device, "device", 4, 503},
    CodeRow{ErrorCode::partial, "partial", 5, 500},
    CodeRow{ErrorCode::check_failed, "check_failed", 6, 409},
    CodeRow{ErrorCode::interrupted, "interrupted", 130, 499},
};

constexpr bool rows_stand_at_their_code() {
    for (std::size_t i = 0; i < kCodes.size(); ++i) {
        if (static_cast<std::size_t>(kCodes[i].code) != i) return false;
    }
    return true;
}
static_assert(rows_stand_at_their_code());

const CodeRow& row(ErrorCode code) noexcept {
    return kCodes[static_cast<std::size_t>(code)];
}

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
    return row(code).name;
}
int exit_status(ErrorCode code) noexcept {
    return row(code).exit_status;
}
int http_status(ErrorCode code) noexcept {
    return row(code).http_status;
}

bool concerns_one_item(ErrorCode code) noexcept {
    return code == ErrorCode::usage || code == ErrorCode::failure || code == ErrorCode::out_of_memory ||
           code == ErrorCode::model_invalid;
}

Error::Error(ErrorCode code, std::string_view where, std::string_view message)
    : std::runtime_error(fmt::format("[{}] {}", where, message)),
      code_(code),
      where_(where),
      message_(message) {
}

Error::Error(ErrorCode code, SettingKey setting, std::string_view message)
    : std::runtime_error(fmt::format("[`{}`] {}", setting.key, message)),
      code_(code),
      is_setting_(true),
      where_(setting.key),
      message_(message) {
}

}  // namespace gass
