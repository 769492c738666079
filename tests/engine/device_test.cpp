#include "nn/device.h"

#include "support/expect_error.h"

#include <ATen/Context.h>

namespace gass {
namespace {

TEST(Device, NamesAreChecked) {
    EXPECT_TRUE(find_device("cpu").is_cpu());
    for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cpu:0"}) {
        test::expect_error(ErrorCode::usage, "[`device`] expected auto, cpu, cuda or cuda:N",
                           [&] { find_device(wrong); });
    }
    test::expect_error(ErrorCode::device, "no such device", [] { find_device("cuda:99"); });
}

TEST(Device, AutoTypeIsExactOnTheCpu) {
    EXPECT_EQ(find_dtype("auto", at::kCPU), at::kFloat);
    EXPECT_EQ(find_dtype("auto", at::kCUDA), at::kBFloat16);
    EXPECT_EQ(find_dtype("bf16", at::kCPU), at::kBFloat16);
    EXPECT_EQ(dtype_name(at::kHalf), "fp16");
    test::expect_error(ErrorCode::usage, "[`dtype`] fp16 is for GPUs", [] { find_dtype("fp16", at::kCPU); });
    test::expect_error(ErrorCode::usage, "[`dtype`]", [] { find_dtype("int4", at::kCPU); });
}

}  // namespace
}  // namespace gass
