#pragma once

#include "core/json.h"
#include "engine/engine.h"
#include "io/infotext.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// Everything that is needed to make a group again, as it stands in group.json and in each PNG. With a method
/// that steers the images together one seed cannot reproduce one image, so the record is always the group's.
struct Record {
    std::string version;      ///< of gass
    std::string fingerprint;  ///< of the model
    std::string machine;      ///< LibTorch and the instructions it uses; compared, not needed to run again
    std::string prompt;
    std::vector<std::uint64_t> seeds;  ///< as the group started
    std::optional<Variation> variation;
    std::vector<std::string> shield;  ///< pictures that the set kept away from
    Json settings = Json::object();   ///< as --config reads them, every one that matters to the bytes

    /// Complains, with `where` in front, about what is not a record of ours.
    static Record from_json(const Json& json, std::string_view where);
    Json to_json() const;
};

/// A model's name without its folders.
std::string model_label(const std::string& model);

Record record_of(const Engine& engine, const Request& completed, const Group& group);

/// What A1111-style readers show for image `index`.
Infotext infotext_of(const Record& record, const Group& group, std::size_t index);

}  // namespace gass
