#pragma once

#include "core/json.h"
#include "measure/metric/metric.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// An evaluation as data: models × methods × prompts × metrics, and the tables that are made of them.
// docs/suites.md describes the file.
namespace gass::eval {

/// The row of the real pictures, among methods: no id of a suite's own.
inline constexpr std::string_view kReal = "real";

struct SuiteModel {
    std::string id;                  ///< "sd21"; part of file names and of assertions
    std::string name;                ///< for people: "SD2.1"
    Json settings = Json::object();  ///< as --config reads them, "model" among them; over those of the suite
};

struct SuiteMethod {
    std::string id;
    std::string name;                  ///< for people: "CADS-ICLR'24"
    std::vector<std::string> methods;  ///< as --method takes them, one for each model of the suite
};

/// What a column of a table is.
struct SuiteMetric {
    std::string id;                 ///< "vendi"
    std::string name;               ///< for people: "VS"
    std::optional<Metric> metric;   ///< none: seconds that a group took, without loading
    std::string encoder;            ///< as gass measure --encoder takes it; empty for seconds
    std::int64_t resize_first = 0;  ///< as --resize-first
    double order = 1.0;             ///< of vendi
    std::int64_t k = 5;             ///< of precision, recall, density and coverage
    int decimals = 3;
    bool more_is_better = true;
};

struct SuitePrompt {
    std::size_t index = 0;  ///< in its list, which decides the seeds
    std::string text;
    std::string name;  ///< its class: the reference's group of that name belongs to it; else the text
};

/// Prompts by their length in words, as the paper's Table 4 parts them.
struct SuiteSplit {
    std::string id;
    std::string name;
    std::size_t least_words = 0;
    std::size_t most_words = 0;  ///< 0: no limit
};

/// What the images are compared with.
struct SuiteReference {
    std::string images;   ///< folder with a folder of pictures for each class, or with pictures
    std::string encoder;  ///< model that brings embeddings of real pictures with it, as mini-judge does
    bool as_row = false;  ///< the real pictures are measured too, as a row of the tables

    bool is_given() const { return !images.empty() || !encoder.empty(); }
};

enum class TableLayout {
    methods,  ///< a row for each method, for each model its metrics side by side (Tables 2, 3, 5 and 6)
    sources,  ///< a row for each model and for the real pictures, with deviations (Table 1)
    splits,   ///< a row for each part of the prompts: baseline → method (Table 4)
};

struct SuiteTable {
    std::string id;  ///< "table3"
    std::string title;
    TableLayout layout = TableLayout::methods;
    std::vector<std::string> models;  ///< ids; of splits one
    std::vector<std::string>
        methods;  ///< ids; an empty one is a rule between rows; of sources and splits one
    std::vector<std::string> metrics;  ///< ids
    /// What the paper printed. methods: {model: {method: {metric: value}}}; sources: {model or "real":
    /// {metric: [mean, deviation]}}; splits: {split: {metric: [baseline, method]}}. Null: nothing.
    Json published;
};

/// Under what circumstances a run is the paper's, so that its numbers may stand beside ours.
struct PublishedRun {
    std::string source;  ///< "Zhu et al., GASS"
    std::size_t prompts = 0;
    std::int64_t images = 0;           ///< of each prompt, all groups together
    Json parameters = Json::object();  ///< of each model's denoiser: {"sd21": 865910724}
};

struct SuitePlot {
    std::string x;  ///< metric ids
    std::string y;
};

struct Suite {
    std::string name;  ///< of its file, without ".json"
    std::string title;
    std::string description;
    Json settings = Json::object();  ///< of all models, as --config reads them: images, steps, …
    std::vector<SuiteModel> models;
    std::vector<SuiteMethod> methods;
    std::string baseline;  ///< id of the method that others are compared with; empty: it is not run
    std::vector<SuitePrompt> prompts;
    std::vector<SuitePrompt> further_prompts;  ///< of its list, behind its limit: a longer run goes on there
    std::int64_t groups = 1;                   ///< of each prompt
    std::uint64_t seed = 0;
    /// Whether a prompt's groups are measured as one set, or each by itself and averaged.
    bool pools_groups = true;
    std::vector<SuiteMetric> metrics;
    SuiteReference reference;
    std::vector<SuiteSplit> splits;
    std::vector<SuiteTable> tables;
    std::vector<SuitePlot> plots;
    std::size_t samples = 4;     ///< prompts whose pictures the report shows
    bool keeps_pictures = true;  ///< else only those that the report shows
    std::optional<PublishedRun> published;

    const SuiteModel* find_model(std::string_view id) const;
    const SuiteMethod* find_method(std::string_view id) const;
    const SuiteMetric* find_metric(std::string_view id) const;
};

/// What the command line puts in place of what the file says.
struct SuiteOverrides {
    std::string prompt_file = {};
    std::size_t limit = 0;                       ///< the first so many prompts; 0: all
    std::string reference = {};                  ///< folder of pictures
    std::vector<std::string> models = {};        ///< "sd21=FOLDER": where a model of the suite is
    std::vector<std::string> only_models = {};   ///< ids; empty: all
    std::vector<std::string> only_methods = {};  ///< ids; empty: all
};

/// Where a suite's JSON is from.
struct SuiteSource {
    std::string name;              ///< of the suite
    std::filesystem::path folder;  ///< that its files lie in
    std::string where;             ///< for errors
};

SuiteSource suite_source(const std::filesystem::path& file);

/// Reads a suite, with whatever it extends merged into it (read_suite_document), and its prompts. Throws
/// model_invalid for a suite that is wrong, with file and key, and usage for overrides that do not fit.
Suite read_suite(const Json& document, const SuiteSource& source, const SuiteOverrides& overrides);

/// Reads a suite and whatever it extends (a file beside it, onto which it is merged as RFC 7386 says), and
/// its prompts. Throws model_not_found for a missing file, model_invalid for a suite that is wrong, with file
/// and key, and usage for overrides that do not fit.
Suite read_suite(const std::filesystem::path& file, const SuiteOverrides& overrides);

/// Words of a prompt, as white space parts them.
std::size_t word_count(std::string_view prompt);
/// Whether a prompt belongs to a part.
bool is_in(const SuiteSplit& split, const SuitePrompt& prompt);

}  // namespace gass::eval
