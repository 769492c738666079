#pragma once

#include "catalog/model.h"

#include <string>

namespace gass {

/// 32 hex digits that stand for what a model computes: XXH3-128 over its components by name, each with its
/// class, its configuration and tokenizer files, and every weight's name, type, shape and bytes. Where the
/// model lies, what its weight files are called and when they were written does not matter. Reads all
/// weights, as fast as memory or the disk gives them.
std::string fingerprint(const Model& model);

}  // namespace gass
