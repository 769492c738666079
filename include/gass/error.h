#pragma once

#include <gass/export.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace gass {

/// What went wrong, as far as a caller can act on it. Each code has one exit status and one HTTP status.
enum class ErrorCode {
    failure,  ///< something broke while running (exit 1, HTTP 500)
    io,       ///< reading or writing the file system failed, a full disk for instance (exit 1, HTTP 500)
    usage,    ///< a flag, a setting or a request is wrong (exit 2, HTTP 400)
    model_not_found,  ///< no such model or file (exit 3, HTTP 404)
    model_invalid,  ///< a model or another input file is damaged or of an unsupported kind (exit 3, HTTP 422)
    out_of_memory,  ///< memory or video memory ran out (exit 4, HTTP 503)
    device,         ///< the device is missing or failed (exit 4, HTTP 503)
    partial,        ///< some results are there, some are not (exit 5, HTTP 500)
    check_failed,   ///< a check that the user asked for does not hold (exit 6, HTTP 409)
    interrupted,    ///< the user stopped it (exit 130, HTTP 499)
};

/// The code's name as it appears in JSON, "model_invalid" for instance.
GASS_API std::string_view to_string(ErrorCode code) noexcept;

/// The process exit status that stands for the code.
GASS_API int exit_status(ErrorCode code) noexcept;

/// The HTTP status that stands for the code.
GASS_API int http_status(ErrorCode code) noexcept;

/// Whether a failure is about one item of several, one prompt or one method, so that the others may still
/// succeed: not a full disk, nor a lost device.
GASS_API bool concerns_one_item(ErrorCode code) noexcept;

/// A setting or another argument by its key, "cfg_scale": what the command line calls --cfg-scale is a field
/// of a request elsewhere.
struct SettingKey {
    constexpr explicit SettingKey(std::string_view name) : key(name) {}
    std::string_view key;
};

/// The one exception of this library. Its text reads "[where] what was expected, what came; what to do".
/// Settings stand in it by their keys in backquotes, `vae_tiling`, for whoever calls them otherwise.
class GASS_API Error : public std::runtime_error {
  public:
    Error(ErrorCode code, std::string_view where, std::string_view message);
    /// A complaint about a setting.
    Error(ErrorCode code, SettingKey setting, std::string_view message);

    ErrorCode code() const noexcept { return code_; }
    /// The part, file or setting that is complained about; the text between the brackets.
    const std::string& where() const noexcept { return where_; }
    /// The setting that is complained about, "cfg_scale"; empty if it is none.
    std::string_view setting() const noexcept { return is_setting_ ? where_ : std::string_view(); }
    /// The text without "[where] ".
    const std::string& message() const noexcept { return message_; }

  private:
    ErrorCode code_;
    bool is_setting_ = false;
    std::string where_;
    std::string message_;
};

}  // namespace gass
