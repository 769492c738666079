#pragma once

// Most of what a file that uses tensors takes to compile is parsing these headers. All of <torch/torch.h>
// would be a precompiled header so large that reading it takes as long as parsing what is needed.
#include <ATen/ATen.h>
