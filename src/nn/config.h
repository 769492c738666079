#pragma once

#include "core/json.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::nn {

/// Reads a network's config.json. A value without a default must be there; a value out of range is refused
/// before anything is built from it; `finish` lists what nobody asked for.
class ConfigReader {
  public:
    ConfigReader(const Json& config, std::string_view where) : reader_(config, where) {}

    /// Sizes are at least 1 and at most a million unless said otherwise.
    std::int64_t integer(std::string_view key, std::optional<std::int64_t> fallback = std::nullopt,
                         std::int64_t minimum = 1, std::int64_t maximum = 1'000'000);
    /// A number of layers: at most 512, so that a hostile file cannot make us build for ever.
    std::int64_t count(std::string_view key, std::optional<std::int64_t> fallback = std::nullopt,
                       std::int64_t minimum = 1);
    double number(std::string_view key, std::optional<double> fallback = std::nullopt) {
        return reader_.number(key, fallback);
    }
    bool boolean(std::string_view key, std::optional<bool> fallback = std::nullopt) {
        return reader_.boolean(key, fallback);
    }
    std::string text(std::string_view key, const std::optional<std::string>& fallback = std::nullopt) {
        return reader_.text(key, fallback);
    }
    /// A list of sizes; a single number counts as a list of one. Empty is refused unless the fallback is
    /// empty.
    std::vector<std::int64_t> integers(
        std::string_view key, const std::optional<std::vector<std::int64_t>>& fallback = std::nullopt,
        std::int64_t minimum = 1);
    std::vector<std::string> texts(std::string_view key,
                                   const std::optional<std::vector<std::string>>& fallback = std::nullopt) {
        return reader_.texts(key, fallback);
    }
    /// Refuses the config unless the key is absent, null or one of these values: for features we do not have.
    void require(std::string_view key, std::initializer_list<Json> allowed);
    /// Known fields without effect on what the network computes.
    void ignore(std::initializer_list<std::string_view> keys);
    /// Warns of fields that nobody asked for. Keys that begin with '_' are the writing library's own.
    void finish() const;

    const std::string& where() const { return reader_.where(); }
    /// Refuses the config for a reason that one field alone does not show.
    [[noreturn]] void refuse(const std::string& reason) const;

  private:
    JsonReader reader_;
};

/// Passes over the fields that transformers writes into every config.json, among them those of text
/// generation, and refuses the few that would change what an encoder computes.
void ignore_transformers_fields(ConfigReader& reader);

}  // namespace gass::nn
