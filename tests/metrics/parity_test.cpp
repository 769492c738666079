#include "metrics/feature_sets.h"
#include "metrics/frechet.h"
#include "metrics/inception_score.h"
#include "metrics/irs.h"
#include "metrics/kernel_distance.h"
#include "metrics/prdc.h"
#include "metrics/scendi.h"
#include "metrics/similarity.h"
#include "metrics/spp.h"
#include "metrics/vendi.h"
#include "sphere/volume.h"
#include "support/reference_cases.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace gass {
namespace {

constexpr double tolerance = 1e-5;

/// What tools/reference/metrics_fixtures.py wrote.
class Reference {
  public:
    static const Reference& get() {
        static const Reference reference;
        return reference;
    }

    std::vector<Json> cases(std::string_view metric) const {
        std::vector<Json> found;
        for (const Json& one : made_.cases) {
            if (one.at("metric") == metric) found.push_back(one);
        }
        return found;
    }
    at::Tensor tensor(const Json& description, const std::string& name) const {
        return made_.tensors.at(description.at("tensors").get<std::string>() + "/" + name);
    }
    bool has(const Json& description, const std::string& name) const {
        return made_.tensors.contains(description.at("tensors").get<std::string>() + "/" + name);
    }

  private:
    Reference() = default;

    test::ReferenceCases made_{"metrics"};
};

/// Relative to the expected number; absolute where that is 0.
double error_of(double ours, double expected) {
    return std::abs(ours - expected) / (expected == 0 ? 1.0 : std::abs(expected));
}

double number(const Json& expect, const std::string& name) {
    return expect.at(name).get<double>();
}

/// One number that a case compares: its name, ours, and the reference's.
struct Compared {
    std::string what;
    double ours = 0;
    double expected = 0;
};

/// Goes through the cases of a metric; what an input's numbers become must not depend on what else is there.
void expect_as_reference(std::string_view metric, std::size_t at_least,
                         const std::function<std::vector<Compared>(const Reference&, const Json&)>& run) {
    const Reference& reference = Reference::get();
    const std::vector<Json> cases = reference.cases(metric);
    EXPECT_GE(cases.size(), at_least);
    double largest = 0;
    for (const Json& description : cases) {
        const auto name = description.at("name").get<std::string>();
        try {
            for (const Compared& one : run(reference, description)) {
                const double error = error_of(one.ours, one.expected);
                EXPECT_LE(error, tolerance)
                    << name << " " << one.what << ": " << one.ours << ", reference " << one.expected;
                largest = std::max(largest, error);
            }
        } catch (const std::exception& error) {
            ADD_FAILURE() << name << ": " << error.what();
        }
    }
    fmt::print("{}: {} cases, {:.1e}\n", metric, cases.size(), largest);
}

TEST(MetricsParity, Vendi) {
    expect_as_reference("vendi", 190, [](const Reference& reference, const Json& description) {
        const Json& given = description.at("order");
        const double order =
            given.is_string() ? std::numeric_limits<double>::infinity() : given.get<double>();
        const double ours =
            reference.has(description, "similarities")
                ? vendi(test::with_cosines(reference.tensor(description, "similarities")), order)
                : vendi(reference.tensor(description, "features"), order);
        return std::vector<Compared>{{"", ours, description.at("expect").get<double>()}};
    });
}

TEST(MetricsParity, VendiWithInfluence) {
    expect_as_reference("vendi", 190, [](const Reference& reference, const Json& description) {
        if (!reference.has(description, "features")) return std::vector<Compared>();
        const Json& given = description.at("order");
        const double order =
            given.is_string() ? std::numeric_limits<double>::infinity() : given.get<double>();
        const double ours = vendi_estimate(reference.tensor(description, "features"), order).value;
        return std::vector<Compared>{{"", ours, description.at("expect").get<double>()}};
    });
}

TEST(MetricsParity, Prdc) {
    expect_as_reference("prdc", 80, [](const Reference& reference, const Json& description) {
        const Prdc ours =
            prdc(reference.tensor(description, "real"), reference.tensor(description, "generated"),
                 description.at("k").get<std::int64_t>(), description.at("strict").get<bool>());
        const Json& expect = description.at("expect");
        return std::vector<Compared>{{"precision", ours.precision.value, number(expect, "precision")},
                                     {"recall", ours.recall.value, number(expect, "recall")},
                                     {"density", ours.density.value, number(expect, "density")},
                                     {"coverage", ours.coverage.value, number(expect, "coverage")}};
    });
}

TEST(MetricsParity, Frechet) {
    expect_as_reference("frechet", 17, [](const Reference& reference, const Json& description) {
        const auto expect = description.at("expect").get<double>();
        if (reference.has(description, "mean1")) {
            const FeatureStatistics first{.mean = reference.tensor(description, "mean1"),
                                          .covariance = reference.tensor(description, "covariance1")};
            const FeatureStatistics second{.mean = reference.tensor(description, "mean2"),
                                           .covariance = reference.tensor(description, "covariance2")};
            return std::vector<Compared>{{"", frechet_distance(first, second), expect}};
        }
        const at::Tensor generated = reference.tensor(description, "generated");
        const FeatureStatistics real = statistics_of(reference.tensor(description, "real"));
        return std::vector<Compared>{
            {"", frechet_distance(statistics_of(generated), real), expect},
            {"the other way round", frechet_distance(real, statistics_of(generated)), expect},
            {"with influence", frechet_estimate(generated, real).value, expect}};
    });
}

TEST(MetricsParity, KernelDistance) {
    expect_as_reference("kid", 8, [](const Reference& reference, const Json& description) {
        const KernelDistance ours =
            kernel_distance(reference.tensor(description, "generated"), reference.tensor(description, "real"),
                            {.subsets = description.at("subsets").get<std::int64_t>(),
                             .subset_size = description.at("subset_size").get<std::int64_t>()});
        const Json& expect = description.at("expect");
        const double value = number(expect, "value");
        // Of subsets that are all alike nothing but rounding is left of the deviation.
        return std::vector<Compared>{
            {"", ours.mean.value, value},
            {"deviation", 1 + ours.standard_deviation / value, 1 + number(expect, "deviation") / value}};
    });
}

TEST(MetricsParity, InceptionScore) {
    expect_as_reference("inception_score", 8, [](const Reference& reference, const Json& description) {
        const InceptionScore ours = inception_score(reference.tensor(description, "logits"),
                                                    {.splits = description.at("splits").get<std::int64_t>()});
        const Json& expect = description.at("expect");
        return std::vector<Compared>{{"", ours.mean.value, number(expect, "value")},
                                     {"deviation", ours.standard_deviation, number(expect, "deviation")}};
    });
}

TEST(MetricsParity, Irs) {
    expect_as_reference("irs", 8, [](const Reference& reference, const Json& description) {
        const at::Tensor real = reference.tensor(description, "real");
        const at::Tensor generated = reference.tensor(description, "generated");
        const Irs ours = image_retrieval_score(real, generated);
        const Json& expect = description.at("expect");
        const auto total = static_cast<double>(real.size(0));
        EXPECT_EQ(ours.references, real.size(0));
        EXPECT_EQ(ours.generated, generated.size(0));
        EXPECT_EQ(ours.retrieved, expect.at("hits").get<std::int64_t>()) << description.at("name");
        // Stirling's numbers are approximate in ours: an end of the interval may be one image off.
        EXPECT_NEAR(ours.interval.low * total, number(expect, "low"), 1.01) << description.at("name");
        EXPECT_NEAR(ours.interval.high * total, number(expect, "high"), 1.01) << description.at("name");
        return std::vector<Compared>{{"raw", ours.at_alpha, number(expect, "hits") / total},
                                     {"learned", ours.at_infinity, number(expect, "learned") / total}};
    });
}

TEST(MetricsParity, Scendi) {
    expect_as_reference("scendi", 4, [](const Reference& reference, const Json& description) {
        const Scendi ours =
            scendi(reference.tensor(description, "text"), reference.tensor(description, "features"),
                   reference.tensor(description, "omega"));
        return std::vector<Compared>{{"", ours.score.value, description.at("expect").get<double>()}};
    });
}

TEST(MetricsParity, Similarity) {
    expect_as_reference("similarity", 12, [](const Reference& reference, const Json& description) {
        const at::Tensor features = reference.tensor(description, "features");
        const at::Tensor text = reference.tensor(description, "text")[0];
        const Json& expect = description.at("expect");
        std::vector<Compared> compared = {
            {"pairwise", mean_pairwise_similarity(features).value, number(expect, "pairwise")},
            {"mss", mean_similarity(features).value, number(expect, "mss")},
            {"clip_score", clip_score(features, text).value, number(expect, "clip_score")},
            {"clip_score by row", clip_score(features, text.expand_as(features)).value,
             number(expect, "clip_score")}};
        const Spp spread = principal_spp(features, text);
        compared.push_back({"d_dep", spread.d_dep.value, number(expect, "d_dep")});
        compared.push_back({"d_ind", spread.d_ind.value, number(expect, "d_ind")});
        compared.push_back({"spp", spread.spp.value, number(expect, "d_dep") + number(expect, "d_ind")});
        compared.push_back({"d_dep of spp", spp(features, text).d_dep.value, number(expect, "d_dep")});
        const at::Tensor rows = features.to(at::kDouble);
        const double volume = sphere::log_volume(rows / rows.norm(2, {1}, true));
        if (expect.at("log_volume").is_null()) {
            EXPECT_EQ(volume, -std::numeric_limits<double>::infinity());
        } else {
            compared.push_back({"log_volume", volume, number(expect, "log_volume")});
        }
        return compared;
    });
}

}  // namespace
}  // namespace gass
