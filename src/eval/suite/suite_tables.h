#pragma once

#include "eval/suite/suite.h"
#include "eval/suite/suite_document.h"

// The parts of a suite that name others. Those must have been read before.
namespace gass::eval {

void read_splits(SuiteObject& object, Suite& suite);
/// After the splits: tables name them.
void read_tables(SuiteObject& object, Suite& suite);
void read_plots(SuiteObject& object, Suite& suite);
void read_published_run(SuiteObject& object, Suite& suite);

}  // namespace gass::eval
