#pragma once

#include "diffusion/schedule.h"
#include "engine/loaded_model.h"
#include "guidance/registry.h"
#include "guidance/text/named_axes.h"
#include "pipelines/backbone.h"

#include <gass/plan.h>
#include <gass/request.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gass {

/// What a plan consists of. Nothing in it is open, nor is a text that has to be read again.
struct PlanParts {
    Request request;  ///< as it was asked for, for whoever looks for its strength
    std::string prompt;
    std::string negative_prompt;
    std::int64_t images = 1;
    std::vector<std::uint64_t> seeds;
    std::optional<Variation> variation;
    std::optional<StartImage> start_image;
    std::int64_t steps = 1;
    double cfg_scale = 1.0;
    ImageSize size;
    TextOptions text;
    std::string sampling_method;  ///< "euler"
    std::string scheduler;        ///< "default" or "karras"
    Schedule schedule;
    Methods methods;
    std::string vary;  ///< as it was asked for
    std::vector<AxisTexts> axes;
    std::vector<std::string> shield_files;
    const ImageEncoder* guide = nullptr;  ///< that sees the images; null: nobody looks
    std::int64_t max_batch = 0;           ///< images per network call; 0: what memory allows
    std::optional<Target> target;

    bool is_guided() const { return cfg_scale > 1.0; }
    std::int64_t starts() const { return static_cast<std::int64_t>(seeds.size()); }
};

/// The methods of a plan before there is anything to sample, to be asked how they go about it.
std::unique_ptr<Method> make_idle(const Methods& methods, std::int64_t images, bool has_company,
                                  Family family);

/// Decides what a request leaves open, from the model, and checks all of it. Throws usage.
Plan make_plan(const LoadedModel& model, const Request& request);

}  // namespace gass
