#pragma once

#include <gass/engine.h>
#include <gass/export.h>
#include <gass/image.h>
#include <gass/record.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gass {

/// What one method made of one prompt.
struct ComparedGroup {
    std::string method;              ///< as the user wrote it: "gass:strength=0.3"
    std::string settings;            ///< the complete method text, every parameter
    std::vector<Image> images;       ///< empty if the method failed
    std::vector<std::string> files;  ///< where the images lie beside the report: "prompt-0/method-0/0000.png"
    std::vector<std::uint64_t> seeds;  ///< of the images; a selecting method chose them
    std::optional<Spread> spread;      ///< none if it could not be measured
    bool sees_guide = false;           ///< the method looks through the encoder that measures
    double seconds = 0.0;              ///< to make the group, without loading
    std::string error;                 ///< why there is no group; empty otherwise
};

struct ComparedPrompt {
    std::string prompt;
    std::vector<ComparedGroup> groups;  ///< the same methods in the same order for every prompt
    std::vector<std::uint64_t> seeds;   ///< that every method started from: the columns
};

/// The same prompts and seeds under several methods.
struct Comparison {
    std::string model;
    std::string guide;
    RecordedSettings settings;  ///< what all methods have in common: steps, cfg_scale, width, height, …
    std::vector<ComparedPrompt> prompts;
};

/// The same prompts and seeds under several methods.
struct CompareRequest {
    std::vector<std::string> prompts;
    Request request;                                      ///< what they have in common; its prompt is theirs
    std::vector<std::string> methods = {"none", "gass"};  ///< with their parameters, "gass:strength=0.3"
};

/// Makes the sets and writes what `gass compare` writes into a folder that is empty or holds an earlier
/// comparison: the sets, a sheet for each prompt, page, table and JSON. A method that fails has its error in
/// the result. Throws gass::Error.
GASS_API Comparison compare_methods(const Engine& engine, const CompareRequest& request,
                                    const std::string& folder, const Events& events = {});

}  // namespace gass
