#pragma once

#include "core/json.h"

#include <gass/engine.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::server {

/// What clients are told of a model.
struct ModelCard {
    std::string name;
    std::string family = {};  ///< "flow" or "diffusion", by its pipeline's class
    std::string class_name = {};
    bool is_distilled = false;  ///< made to do without guidance
    std::optional<std::int64_t> width = {};
    std::optional<std::int64_t> height = {};
    std::optional<std::int64_t> steps = {};
    std::optional<double> cfg_scale = {};
    std::string description = {};
};
Json to_json(const ModelCard& card, bool is_loaded, bool is_default);

/// The models that may be asked for, on the devices that there are. What is not loaded is loaded when a job
/// wants it, and the one that was not wanted for the longest time makes room. For any number of threads.
class Models {
  public:
    /// `names`: these and no others, the first is the default; empty: every pipeline that is here. `base`
    /// says how they use the machine. Throws model_not_found for a name that is none.
    Models(const EngineOptions& base, const std::vector<std::string>& names,
           const std::vector<std::string>& devices);

    const std::vector<ModelCard>& cards() const { return cards_; }
    const std::string& default_name() const { return cards_.front().name; }
    std::size_t devices() const { return devices_.size(); }
    const std::string& device(std::size_t index) const { return devices_[index]; }
    bool is_loaded(std::string_view name) const;
    std::size_t loaded() const;

    /// An engine to plan with; its networks are not read for that. Throws model_not_found for a name that may
    /// not be asked for.
    std::shared_ptr<const Engine> open(std::string_view name);
    /// An engine on a device, its networks read. `bytes`: how much memory they take.
    std::shared_ptr<const Engine> load(std::size_t device, std::string_view name, std::uint64_t bytes);
    /// Lets go of all but this one: memory ran out.
    void release_others(std::size_t device, std::string_view name);

  private:
    struct Slot {
        std::shared_ptr<const Engine> engine;
        bool is_loaded = false;
        std::uint64_t bytes = 0;
        std::uint64_t used = 0;  // when last
    };
    Slot& slot(std::size_t device, std::string_view name);
    void make_room(std::size_t device, const Engine& engine, std::string_view name, std::uint64_t bytes);

    EngineOptions base_;
    std::vector<std::string> devices_;
    std::vector<ModelCard> cards_;
    mutable std::mutex mutex_;                                     // of what follows
    std::vector<std::map<std::string, Slot, std::less<>>> slots_;  // of each device
    std::uint64_t uses_ = 0;
};

}  // namespace gass::server
