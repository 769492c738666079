#include "eval/report/assertion.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "eval/report/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <optional>

namespace gass::eval {
namespace {

constexpr SettingKey kWhere("assert");

enum class Relation { more, at_least, less, at_most };

struct RelationName {
    std::string_view text;
    Relation relation;
};

// The longer ones first, which the shorter ones begin.
constexpr std::array kRelations{RelationName{">=", Relation::at_least}, RelationName{"<=", Relation::at_most},
                                RelationName{">", Relation::more}, RelationName{"<", Relation::less}};

/// "1.2*sd21/none.vendi": a number, a mean, or so many times that mean.
struct Side {
    double factor = 1;
    std::string_view model;   ///< empty: each
    std::string_view method;  ///< empty: a plain number
    std::string_view metric;

    bool is_number() const { return method.empty(); }
    bool is_of_each_model() const { return !is_number() && model.empty() && method != kReal; }
};

struct Claim {
    Side left;
    RelationName relation;
    Side right;
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::optional<double> parse_finite(std::string_view text) {
    const auto value = parse_number<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

[[noreturn]] void fail_to_read(std::string_view whole, std::string_view part) {
    fail(ErrorCode::usage, kWhere,
         "cannot read {} in {}; expected something like \"gass.spp > none.spp\" or "
         "\"sd21/gass.vendi >= 1.2*sd21/none.vendi\"",
         in_quotes(part), in_quotes(whole));
}

Side parse_side(std::string_view text, std::string_view whole) {
    Side side;
    text = trimmed(text);
    if (const auto number = parse_finite(text)) {
        side.factor = *number;
        return side;
    }
    std::string_view rest = text;
    if (const std::size_t star = rest.find('*'); star != std::string_view::npos) {
        const auto factor = parse_finite(trimmed(rest.substr(0, star)));
        if (!factor) fail_to_read(whole, text);
        side.factor = *factor;
        rest = trimmed(rest.substr(star + 1));
    }
    if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
        side.model = rest.substr(0, slash);
        if (side.model.empty()) fail_to_read(whole, text);
        rest.remove_prefix(slash + 1);
    }
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos || dot == 0) fail_to_read(whole, text);
    side.method = rest.substr(0, dot);
    side.metric = rest.substr(dot + 1);
    return side;
}

Claim parse(std::string_view text) {
    const std::size_t at = text.find_first_of("<>");
    if (at == std::string_view::npos) fail_to_read(text, text);
    for (const RelationName& relation : kRelations) {
        if (!text.substr(at).starts_with(relation.text)) continue;
        const Side left = parse_side(text.substr(0, at), text);
        const Side right = parse_side(text.substr(at + relation.text.size()), text);
        if (left.is_number() && right.is_number())
            fail(ErrorCode::usage, kWhere,
                 "{} compares two numbers; one side must name a method and a metric", in_quotes(text));
        return {left, relation, right};
    }
    fail_to_read(text, text);
}

template <class Parts>
[[noreturn]] void fail_for_unknown(std::string_view text, const char* kind, std::string_view id,
                                   const Parts& parts) {
    std::vector<std::string_view> ids;
    for (const auto& part : parts) ids.push_back(part.id);
    fail(ErrorCode::usage, kWhere, "{} names the {} {}{}; the suite has {}", in_quotes(text), kind,
         in_quotes(id), did_you_mean(id, ids), fmt::join(ids, ", "));
}

void check(const Side& side, const Suite& suite, std::string_view text) {
    if (side.is_number()) return;
    if (!side.model.empty() && suite.find_model(side.model) == nullptr)
        fail_for_unknown(text, "model", side.model, suite.models);
    const bool is_real = side.method == kReal && suite.reference.as_row && side.model.empty();
    if (!is_real && suite.find_method(side.method) == nullptr)
        fail_for_unknown(text, "method", side.method, suite.methods);
    if (suite.find_metric(side.metric) == nullptr)
        fail_for_unknown(text, "metric", side.metric, suite.metrics);
}

Claim checked(std::string_view text, const Suite& suite) {
    const Claim claim = parse(text);
    check(claim.left, suite, text);
    check(claim.right, suite, text);
    return claim;
}

bool is_true(double left, Relation relation, double right) {
    switch (relation) {
        case Relation::more:
            return left > right;
        case Relation::at_least:
            return left >= right;
        case Relation::less:
            return left < right;
        case Relation::at_most:
            break;
    }
    return left <= right;
}

/// What a side is worth on a model that it does not name itself; an explanation of why not goes to `missing`.
std::optional<double> value_on(const Results& results, const Side& side, std::string_view model,
                               std::string& missing) {
    if (side.is_number()) return side.factor;
    const Scores* scores =
        find_scores(results, side.model.empty() ? model : side.model, side.method, side.metric);
    const auto value = scores == nullptr ? std::nullopt : value_of(*scores);
    if (value) return side.factor * *value;
    const std::string reason =
        scores == nullptr || scores->reason.empty() ? "" : fmt::format(" ({})", printable(scores->reason));
    missing = fmt::format("{}.{} has no value{}", side.method, side.metric, reason);
    return std::nullopt;
}

void evaluate(const Results& results, const Claim& claim, std::string_view model, Assertion& assertion) {
    std::string missing;
    const auto left = value_on(results, claim.left, model, missing);
    const auto right = value_on(results, claim.right, model, missing);
    std::string explanation = missing;
    if (left && right) {
        const bool holds = is_true(*left, claim.relation.relation, *right);
        explanation = fmt::format("{:.6g} {} {:.6g}{}", *left, claim.relation.text, *right,
                                  holds ? "" : " does not hold");
        assertion.holds = assertion.holds && holds;
    } else {
        assertion.holds = false;
    }
    if (!assertion.explanation.empty()) assertion.explanation += "; ";
    if (!model.empty()) assertion.explanation += fmt::format("{}: ", model);
    assertion.explanation += explanation;
}

}  // namespace

void check_assertion(std::string_view text, const Suite& suite) {
    checked(text, suite);
}

Assertion evaluate_assertion(std::string_view text, const Results& results) {
    const Claim claim = checked(text, results.suite);
    Assertion assertion{.text = std::string(text), .holds = true, .explanation = {}};
    if (!claim.left.is_of_each_model() && !claim.right.is_of_each_model()) {
        const std::string_view named = claim.left.model.empty() ? claim.right.model : claim.left.model;
        const bool is_one =
            claim.left.model.empty() || claim.right.model.empty() || claim.left.model == claim.right.model;
        evaluate(results, claim, is_one ? named : std::string_view(), assertion);
        return assertion;
    }
    for (const SuiteModel& model : results.suite.models) evaluate(results, claim, model.id, assertion);
    // Nothing was found to be wrong where nothing was looked at.
    if (results.suite.models.empty()) assertion.holds = false;
    return assertion;
}

}  // namespace gass::eval
