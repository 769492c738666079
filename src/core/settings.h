#pragma once

#include "core/json.h"

#include <gass/error.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace gass {

enum class SettingType { text, integer, number, boolean, choice };

/// One setting. The same row makes the flag, the environment variable, the key in files, the check and the
/// help.
struct SettingSpec {
    std::string_view key;    ///< in config files, presets and gass.json: "cfg_scale"
    std::string_view flags;  ///< on the command line: "--cfg-scale"; several are separated by commas
    SettingType type = SettingType::text;
    std::string_view help;
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    std::int64_t multiple_of = 1;
    std::string_view choices = {};   ///< for SettingType::choice: "auto|fp32|bf16"
    std::string_view built_in = {};  ///< the value when nobody sets it; empty: none
};

/// Every setting there is.
std::span<const SettingSpec> setting_specs();
/// The setting of that key, or nullptr.
const SettingSpec* find_setting(std::string_view key);
/// "--cfg-scale" for the setting or argument "cfg_scale".
std::string flag_of(std::string_view key);
/// "GASS_CFG_SCALE" for "cfg_scale".
std::string environment_name(const SettingSpec& spec);

/// Where a value comes from; a later one wins over an earlier one.
/// `user` is the file of a user's own preferences.
enum class SettingLayer { built_in, model, user, preset, config, environment, picture, flag };

/// Says which GASS_* variables of the environment gass does not know: a slip, or those of another program.
void warn_of_unknown_variables();

/// The values of all settings, layer over layer. Unknown keys and bad values are refused when they are put
/// in, in a message that names the flag, the variable or the file.
class Settings {
  public:
    Settings();

    /// A value as text, from the command line or the environment.
    void set_text(SettingLayer layer, const SettingSpec& spec, std::string_view text,
                  std::string_view origin);
    /// All members of a JSON object, from a file. `code` is what a bad member is: a user's mistake or a
    /// broken model.
    void set_object(SettingLayer layer, const Json& object, std::string_view origin,
                    ErrorCode code = ErrorCode::usage);
    /// A value that a program sets. A bad one is a complaint about that setting.
    void set(SettingLayer layer, std::string_view key, Json value);
    /// Every GASS_* variable of the environment that names a setting.
    void set_environment();

    /// The value that wins, or nullptr if there is none.
    const Json* find(std::string_view key) const;
    /// The value that wins as text; empty if there is none.
    std::string text(std::string_view key) const;
    /// Who set the value that wins.
    std::string origin(std::string_view key) const;
    /// All values that win, as `--config` reads them.
    Json resolved() const;

  private:
    struct Value {
        Json value;
        std::string origin;
    };
    void put(SettingLayer layer, const SettingSpec& spec, Json value, std::string_view origin,
             ErrorCode code);
    const Value* winner(std::string_view key) const;

    static constexpr std::size_t kLayers = static_cast<std::size_t>(SettingLayer::flag) + 1;
    std::array<std::map<std::string, Value, std::less<>>, kLayers> layers_;
};

}  // namespace gass
