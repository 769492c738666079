#pragma once

#include "eval/making/evaluation.h"
#include "eval/making/group_maker.h"
#include "eval/run/remembered_run.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gass::eval {

/// A suite with everything opened and checked that its groups need.
struct Prepared {
    RequestedSuite requested;
    std::vector<Settings> settings = {};  ///< of each model
    std::vector<PreparedModel> models = {};
    nn::Placement measuring = {};  // compared across machines: fp32 everywhere
    std::vector<WorkItem> items = {};
    /// The device that the run's groups were made on, if it is not the one that groups would be made on now.
    std::string other_device = {};

    const Suite& suite() const { return requested.suite; }
    std::unique_ptr<GroupMaker> make_maker(const std::function<bool()>& should_stop) const;
    std::size_t images_of(const WorkItem& item) const {
        return static_cast<std::size_t>(models[item.model].recipes[item.method].images);
    }
    /// Throws usage if the groups of that run, or of a shard, would be others now.
    void check_makes_the_same_as(const RememberedRun& run) const;
    /// What the run is to remember.
    RememberedRun remembered() const;
};

/// Takes what the request does not say from the run, if there is one. Throws usage for a request that would
/// make another run of it. `job`: the processes that share the machine.
Prepared prepare(const EvaluationRequest& request, const SettingsOver& settings_over, const Communicator* job,
                 const RememberedRun* run);

}  // namespace gass::eval
