#include "eval/report/results.h"

#include <iterator>
#include <utility>

namespace gass::eval {
namespace {

template <class Part>
std::optional<std::size_t> place_of(const std::vector<Part>& parts, const Part* part) {
    if (part == nullptr) return std::nullopt;
    return static_cast<std::size_t>(part - parts.data());
}

template <class Entries>
const typename Entries::value_type* entry(const Entries& entries, std::optional<std::size_t> place) {
    return place && *place < entries.size() ? &entries[*place] : nullptr;
}

}  // namespace

const Scores* find_scores(const Results& results, std::string_view model, std::string_view method,
                          std::string_view metric) {
    const Suite& suite = results.suite;
    const auto column = place_of(suite.metrics, suite.find_metric(metric));
    if (method == kReal) return entry(results.real, column);
    const auto* methods = entry(results.scores, place_of(suite.models, suite.find_model(model)));
    if (methods == nullptr) return nullptr;
    const auto* metrics = entry(*methods, place_of(suite.methods, suite.find_method(method)));
    return metrics == nullptr ? nullptr : entry(*metrics, column);
}

const Json* made_with(const Results& results, std::string_view model) {
    const Json* place = &results.provenance;
    for (const std::string_view key : {std::string_view("models"), model, std::string_view("settings")}) {
        const auto member = place->find(key);
        if (member == place->end()) return nullptr;
        place = &*member;
    }
    return place;
}

Json settings_in_common(const Results& results) {
    Json common = Json::object();
    bool is_first = true;
    for (const SuiteModel& model : results.suite.models) {
        const Json* settings = made_with(results, model.id);
        if (settings == nullptr) return Json::object();
        if (std::exchange(is_first, false)) {
            common = *settings;
            continue;
        }
        for (auto one = common.begin(); one != common.end();)
            one = settings->value(one.key(), Json()) == one.value() ? std::next(one) : common.erase(one);
    }
    return common;
}

bool matches_published(const Results& results, std::string_view model) {
    const auto place = place_of(results.suite.models, results.suite.find_model(model));
    return place && *place < results.matches_published.size() && results.matches_published[*place];
}

std::string_view model_name(const Suite& suite, std::string_view id) {
    const SuiteModel* model = suite.find_model(id);
    return model == nullptr ? id : std::string_view(model->name);
}

std::string_view method_name(const Suite& suite, std::string_view id) {
    if (id == kReal) return "Real";
    const SuiteMethod* method = suite.find_method(id);
    return method == nullptr ? id : std::string_view(method->name);
}

}  // namespace gass::eval
