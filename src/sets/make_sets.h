#pragma once

#include "core/json.h"
#include "engine/output_folder.h"
#include "io/picture_format.h"

#include <gass/engine.h>
#include <gass/error.h>
#include <gass/group.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gass {

/// A prompt of a list.
struct ListedPrompt {
    std::string text;
    std::string where;    ///< it came from, for complaints: "--prompt-file, line 3"
    std::size_t nth = 0;  ///< set of it: seeds go on from one to the next
};

/// A set of each of these prompts.
struct SetsOrder {
    std::vector<ListedPrompt> prompts;
    Request request;  ///< of each but for its prompt
    /// Where the set goes, or one folder for each if there are several; null: new ones in gass-out.
    const OutputFolder* output = nullptr;
    bool remembers = false;  ///< each set keeps away from those of its prompt before it
    PictureOutput pictures = {};
};

/// What the set of a prompt will be.
Plan plan_of(const Engine& engine, const SetsOrder& order, const ListedPrompt& prompt);

/// A set that was made and written.
struct MadeSet {
    std::size_t number = 0;  ///< of its prompt
    std::filesystem::path folder;
    Group group = {};
    Json json = {};  ///< what stands in its group.json
};

/// How a caller watches sets being made, and stops it. Each may be empty.
struct SetsEvents {
    /// How the set of a prompt is watched; asked before each.
    std::function<Events(std::size_t number, const std::filesystem::path& folder)> watch;
    /// Whether it was made or not.
    std::function<void()> ended;
    std::function<void(const MadeSet& set)> made;
    /// There is none of this prompt, and others go on.
    std::function<void(const ListedPrompt& prompt, const Error& error)> failed;
    std::function<bool()> should_stop;
};

/// Makes and writes a set for each prompt. Errors about one of several prompts are told and counted, others
/// are thrown; what was made stays. Returns how many failed.
std::size_t make_sets(const Engine& engine, const SetsOrder& order, const SetsEvents& events);

}  // namespace gass
