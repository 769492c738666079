#pragma once

// LibTorch's headers take 15 s to parse; precompiled, a file that uses them compiles in a few.
#include <torch/torch.h>
