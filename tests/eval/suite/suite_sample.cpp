#include "eval/suite/suite_sample.h"

#include "core/json.h"
#include "support/expect_error.h"

namespace gass::eval {
namespace {

constexpr const char* kSmall = R"({
  "title": "Small",
  "description": "Two models, three methods.",
  "settings": {"images": 4, "steps": 10},
  "models": {
    "sd21": {"name": "SD2.1", "settings": {"model": "org/sd21", "cfg_scale": 8.0}},
    "sd3m": {"settings": {"model": "org/sd3m"}}
  },
  "methods": {
    "none": {"name": "Plain", "method": "none"},
    "cads": {"name": "CADS", "method": {"sd21": "cads:scale=0.15", "sd3m": "cads:scale=0.1+gass"}},
    "gass": {"method": "gass"}
  },
  "baseline": "none",
  "prompts": {"list": ["a dog", {"prompt": "a photo of a cat", "class": "cat"}]},
  "groups": 3,
  "seed": 7,
  "measure_groups": "each",
  "metrics": {
    "vendi": {"name": "VS", "metric": "vendi", "encoder": "mini-clip", "order": 2, "resize_first": 256},
    "density": {"metric": "density", "encoder": "mini-judge", "k": 3, "decimals": 2},
    "pairwise": {"metric": "pairwise", "encoder": "mini-clip"},
    "seconds": {"name": "Time [s]", "metric": "seconds"}
  },
  "reference": {"encoder": "mini-judge", "row": true},
  "splits": {"short": {"name": "Short", "most_words": 2}, "long": {"least_words": 3}},
  "tables": {
    "methods": {
      "title": "Methods", "models": ["sd21", "sd3m"], "methods": ["none", "cads", "", "gass"],
      "metrics": ["vendi", "seconds"],
      "published": {"sd21": {"none": {"vendi": 8.599, "seconds": 2}}, "sd3m": {"gass": {"vendi": 8.1}}}
    },
    "sources": {
      "layout": "sources", "methods": ["none"], "metrics": ["vendi"],
      "published": {"sd3m": {"vendi": [1, 0.5]}, "real": {"vendi": [2, 0.25]}}
    },
    "splits": {
      "layout": "splits", "models": ["sd21"], "methods": ["gass"], "metrics": ["vendi"],
      "published": {"long": {"vendi": [1.5, 2.5]}}
    }
  },
  "plots": [{"x": "density", "y": "vendi"}],
  "samples": 1,
  "keep_pictures": false,
  "published": {"source": "A paper", "prompts": 2, "images": 12, "parameters": {"sd21": 865910724, "sd3m": 3}}
})";

}  // namespace

SuiteSample::SuiteSample() {
    folder.write("small.json", kSmall);
}

Suite SuiteSample::read(const std::string& patch, const SuiteOverrides& overrides) const {
    Json suite = Json::parse(kSmall);
    suite.merge_patch(Json::parse(patch));
    return read_suite(folder.write("patched.json", suite.dump()), overrides);
}

void SuiteSample::refuses(const std::string& patch, const std::string& part) const {
    SCOPED_TRACE(patch);
    test::expect_error(ErrorCode::model_invalid, part, [&] { read(patch); });
}

void SuiteSample::refuses_overrides(const SuiteOverrides& overrides, const std::string& part) const {
    test::expect_error(ErrorCode::usage, part, [&] { read("{}", overrides); });
}

}  // namespace gass::eval
