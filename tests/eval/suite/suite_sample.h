#pragma once

#include "eval/suite/suite.h"
#include "support/temporary_folder.h"

#include <string>

namespace gass::eval {

/// A folder with one small suite, "small.json", which tests patch (RFC 7386) and read.
class SuiteSample {
  public:
    SuiteSample();

    /// The suite, patched.
    Suite read(const std::string& patch = "{}", const SuiteOverrides& overrides = {}) const;
    /// It must be refused as model_invalid with this text.
    void refuses(const std::string& patch, const std::string& part) const;
    /// The overrides must be refused as usage with this text.
    void refuses_overrides(const SuiteOverrides& overrides, const std::string& part) const;

    test::TemporaryFolder folder;
};

}  // namespace gass::eval
