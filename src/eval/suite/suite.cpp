#include "eval/suite/suite.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/settings.h"
#include "core/wording.h"
#include "eval/suite/suite_document.h"
#include "eval/suite/suite_overrides.h"
#include "eval/suite/suite_prompts.h"
#include "eval/suite/suite_tables.h"
#include "guidance/text/parameters.h"

#include <gass/record.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <system_error>
#include <utility>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

template <class Part>
const Part* find(const std::vector<Part>& parts, std::string_view id) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.id == id; });
    return found == parts.end() ? nullptr : &*found;
}

constexpr std::size_t kMaxModels = 64;
constexpr std::size_t kMaxMethods = 256;
constexpr std::size_t kMaxMetrics = 64;
constexpr std::string_view kSeconds = "seconds";

void refuse_reserved(const std::string& id, const std::string& where) {
    if (id == kReal)
        fail(ErrorCode::model_invalid, where, "{} is what real pictures are called; take another id",
             in_quotes(id));
}

/// Settings as --config has them, less those that a suite says in places of their own.
Json read_settings(SuiteObject& object) {
    constexpr std::array<std::string_view, 2> kElsewhere{"method", "seed"};
    const Json* settings = object.find("settings");
    if (settings == nullptr) return Json::object();
    const std::string where = object.place("settings");
    Settings().set_object(SettingLayer::config, *settings, where, ErrorCode::model_invalid);
    for (const std::string_view key : kElsewhere) {
        if (settings->contains(key))
            fail(ErrorCode::model_invalid, where, "{} is not a setting of a suite, but a key of its own",
                 in_quotes(key));
    }
    return *settings;
}

void read_models(SuiteObject& object, Suite& suite) {
    for (auto& [id, entry] : object.entries("models", kMaxModels)) {
        refuse_reserved(id, entry.where());
        SuiteModel model{.id = id, .name = entry.line("name", id), .settings = read_settings(entry)};
        if (!model.settings.contains("model"))
            fail(ErrorCode::model_invalid, entry.place("settings"), "the key \"model\" is missing");
        entry.finish();
        suite.models.push_back(std::move(model));
    }
    if (suite.models.empty()) fail(ErrorCode::model_invalid, object.where(), "\"models\" has none");
}

/// Complains about what no --method could be. Which methods and parameters there are is not known without
/// tensors.
void check_method(const std::string& text, const std::string& where) {
    try {
        for (const MethodSpec& spec : parse_methods(text)) check_id(spec.name, where);
    } catch (const Error& error) {
        throw Error(ErrorCode::model_invalid, where, error.message());
    }
}

/// "method": for all models, or {model: method}.
std::vector<std::string> read_method_texts(SuiteObject& entry, const Suite& suite) {
    const Json& method = entry.at("method");
    std::vector<std::string> texts;
    if (!method.is_object()) {
        texts.assign(suite.models.size(), entry.text("method"));
        check_method(texts.front(), entry.place("method"));
        return texts;
    }
    SuiteObject own = entry.object("method");
    for (const SuiteModel& model : suite.models) {
        texts.push_back(own.text(model.id));
        check_method(texts.back(), own.place(model.id));
    }
    own.finish();
    return texts;
}

void read_methods(SuiteObject& object, Suite& suite) {
    for (auto& [id, entry] : object.entries("methods", kMaxMethods)) {
        refuse_reserved(id, entry.where());
        suite.methods.push_back({id, entry.line("name", id), read_method_texts(entry, suite)});
        entry.finish();
    }
    if (suite.methods.empty()) fail(ErrorCode::model_invalid, object.where(), "\"methods\" has none");
    suite.baseline = object.text("baseline");
    if (suite.find_method(suite.baseline) == nullptr)
        fail(ErrorCode::model_invalid, object.place("baseline"), "there is no method {}",
             in_quotes(suite.baseline));
}

void read_metric(const MetricSpec& spec, SuiteObject& entry, SuiteMetric& metric) {
    constexpr std::int64_t kMostNeighbours = 1'000'000;
    constexpr std::int64_t kLargestPicture = 4096;
    metric.metric = spec.metric;
    metric.more_is_better = spec.more_is_better;
    metric.encoder = entry.line("encoder");
    if (metric.encoder.empty()) fail(ErrorCode::model_invalid, entry.place("encoder"), "the name is empty");
    metric.resize_first = entry.integer("resize_first", 0, 0, kLargestPicture);
    if (spec.takes_order) metric.order = entry.number("order", metric.order);
    if (metric.order < 0)
        fail(ErrorCode::model_invalid, entry.place("order"), "expected 0 or more, got {}", metric.order);
    if (spec.takes_k) metric.k = entry.integer("k", metric.k, 1, kMostNeighbours);
}

void read_metrics(SuiteObject& object, Suite& suite) {
    constexpr std::int64_t kMostDecimals = 10;
    for (auto& [id, entry] : object.entries("metrics", kMaxMetrics)) {
        SuiteMetric metric;
        metric.id = id;
        metric.name = entry.line("name", id);
        metric.decimals = static_cast<int>(entry.integer("decimals", metric.decimals, 0, kMostDecimals));
        const std::string name = entry.text("metric");
        if (name == kSeconds) {
            metric.more_is_better = false;
        } else if (const MetricSpec* spec = find_spec(name)) {
            read_metric(*spec, entry, metric);
        } else {
            std::vector<std::string_view> known{kSeconds};
            for (const MetricSpec& one : metric_specs()) known.push_back(one.name);
            fail(ErrorCode::model_invalid, entry.place("metric"), "there is no metric {}{}", in_quotes(name),
                 did_you_mean(name, known));
        }
        entry.finish();
        suite.metrics.push_back(std::move(metric));
    }
    if (suite.metrics.empty()) fail(ErrorCode::model_invalid, object.where(), "\"metrics\" has none");
}

void check_folder(const fs::path& folder, const std::string& where) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
        fail(ErrorCode::model_not_found, where, "there is no folder {}", in_quotes(folder.string()));
}

void read_reference(SuiteObject& object, const fs::path& folder, const std::string& given, Suite& suite) {
    constexpr const char* kWhere = "`reference`";
    if (object.find("reference") != nullptr) {
        SuiteObject entry = object.object("reference");
        const std::string images = entry.line("images", "");
        const std::string encoder = entry.line("encoder", "");
        const std::string needed = entry.line("needed", "");
        suite.reference.as_row = entry.boolean("row", false);
        entry.finish();
        if ((images.empty() ? 0 : 1) + (encoder.empty() ? 0 : 1) + (needed.empty() ? 0 : 1) != 1)
            fail(ErrorCode::model_invalid, entry.where(),
                 "expected one of \"images\", \"encoder\" and \"needed\"");
        if (given.empty() && !needed.empty())
            fail(ErrorCode::usage, kWhere, "this suite needs {}; name the folder", printable(needed));
        suite.reference.encoder = encoder;
        if (!images.empty()) suite.reference.images = (folder / images).string();
        if (given.empty() && !images.empty()) check_folder(suite.reference.images, entry.place("images"));
    }
    if (given.empty()) return;
    check_folder(given, kWhere);
    suite.reference.images = given;
    suite.reference.encoder.clear();
}

void check_reference(const Suite& suite, const SuiteObject& object) {
    for (const SuiteMetric& metric : suite.metrics) {
        if (!metric.metric || !spec_of(*metric.metric).needs_reference) continue;
        const std::string where = object.place(fmt::format("metrics.{}", metric.id));
        if (!suite.reference.is_given())
            fail(ErrorCode::model_invalid, where, "needs a \"reference\" in the suite");
        if (!suite.reference.encoder.empty() && suite.reference.encoder != metric.encoder)
            fail(ErrorCode::model_invalid, where, "sees by {}; the reference is there for {} alone",
                 in_quotes(metric.encoder), in_quotes(suite.reference.encoder));
    }
}

bool read_pools_groups(SuiteObject& object) {
    const std::string name = object.text("measure_groups", "pooled");
    if (name != "pooled" && name != "each")
        fail(ErrorCode::model_invalid, object.place("measure_groups"), "expected pooled or each, got {}",
             in_quotes(name));
    return name == "pooled";
}

}  // namespace

const SuiteModel* Suite::find_model(std::string_view id) const {
    return find(models, id);
}

const SuiteMethod* Suite::find_method(std::string_view id) const {
    return find(methods, id);
}

const SuiteMetric* Suite::find_metric(std::string_view id) const {
    return find(metrics, id);
}

SuiteSource suite_source(const fs::path& file) {
    return {printable(file.stem().string()), file.parent_path(), file.string()};
}

std::size_t word_count(std::string_view prompt) {
    std::size_t words = 0;
    bool in_word = false;
    for (const char c : prompt) {
        const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!is_space && !in_word) ++words;
        in_word = !is_space;
    }
    return words;
}

bool is_in(const SuiteSplit& split, const SuitePrompt& prompt) {
    const std::size_t words = word_count(prompt.text);
    return words >= split.least_words && (split.most_words == 0 || words <= split.most_words);
}

Suite read_suite(const Json& document, const SuiteSource& source, const SuiteOverrides& overrides) {
    constexpr std::int64_t kMostGroups = 10'000;
    constexpr std::int64_t kMostSamples = 1000;
    SuiteObject object(document, source.where);
    Suite suite;
    suite.name = source.name;
    suite.title = object.line("title");
    suite.description = object.line("description", "");
    suite.settings = read_settings(object);
    suite.groups = object.integer("groups", suite.groups, 1, kMostGroups);
    suite.seed = static_cast<std::uint64_t>(object.integer("seed", 0, 0, std::int64_t{kMaxSeed}));
    suite.pools_groups = read_pools_groups(object);
    suite.samples = static_cast<std::size_t>(
        object.integer("samples", static_cast<std::int64_t>(suite.samples), 0, kMostSamples));
    suite.keeps_pictures = object.boolean("keep_pictures", suite.keeps_pictures);
    read_models(object, suite);
    read_methods(object, suite);
    read_metrics(object, suite);
    read_splits(object, suite);
    read_reference(object, source.folder, overrides.reference, suite);
    check_reference(suite, object);
    read_tables(object, suite);
    read_plots(object, suite);
    read_published_run(object, suite);
    read_suite_prompts(object, source.folder, overrides, suite);
    object.finish();
    apply_overrides(overrides, suite);
    return suite;
}

Suite read_suite(const fs::path& file, const SuiteOverrides& overrides) {
    return read_suite(read_suite_document(file), suite_source(file), overrides);
}

}  // namespace gass::eval
