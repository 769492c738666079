#pragma once

#include "core/settings.h"
#include "core/text.h"

#include <gass/engine.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gass {

/// Goes through the parts of a request that are settings, by their keys; prompt, listed seeds, variation and
/// target are none.
template <class AnyRequest, class Visit>
void visit_request(AnyRequest& request, const Visit& visit) {
    visit("images", request.images);
    visit("seed", request.seed);
    visit("method", request.method);
    visit("strength", request.strength);
    visit("dep", request.dep);
    visit("ind", request.ind);
    visit("vary", request.vary);
    visit("shield", request.shield);
    visit("negative_prompt", request.negative_prompt);
    visit("steps", request.steps);
    visit("cfg_scale", request.cfg_scale);
    visit("width", request.width);
    visit("height", request.height);
    visit("sampling_method", request.sampling_method);
    visit("scheduler", request.scheduler);
    visit("clip_skip", request.clip_skip);
    visit("max_sequence_length", request.max_sequence_length);
    visit("max_batch", request.max_batch);
}

/// What settings say of a request, and of an engine.
Request request_from(const Settings& settings);
EngineOptions engine_options_from(const Settings& settings);

/// What asks for a recorded set again.
Request request_from(const Record& record);
EngineOptions engine_options_from(const Record& record);

/// The request of a plan with what was drawn or looked up for it, its seed and the files of its shield: other
/// plans of the same order have the same.
Request settled_request(const Plan& plan);

/// The seeds s, s+1, … of `count` images; throws usage if they leave the range.
std::vector<std::uint64_t> consecutive_seeds(std::uint64_t first, std::size_t count);

/// The first `count` of the seeds or, where there are fewer, as many more that count on from the largest: a
/// method that chooses starts from more of them than another.
std::vector<std::uint64_t> seeds_for(std::vector<std::uint64_t> seeds, std::size_t count);

/// The request under one of several methods that share it: its strength, dep and ind are for those that have
/// a dial and do not say these themselves.
Request under_method(const Request& request, std::string_view method);

}  // namespace gass
