#pragma once

#include "eval/report/results.h"

namespace gass::eval {

/// Two models × three methods × six prompts, as a run could have left them: a group that failed, a metric of
/// all images at once, one without values, real pictures, published numbers that only one model may have
/// beside it, and prompts that no format may take literally.
///
/// On both models "gass" has more vendi and spp than "none" on every prompt, "cads" now more and now less.
Results sample_results();

}  // namespace gass::eval
