#include "engine/memory.h"

#include "support/expect_error.h"

namespace gass {
namespace {

TEST(Memory, TheCpuHasSomeLeft) {
    EXPECT_GT(free_memory(c10::kCPU), 1e8);
    EXPECT_LT(free_memory(c10::kCPU), 1e15);
}

TEST(Memory, ImagesShareWhatIsFree) {
    EXPECT_EQ(images_that_fit(8, 1e9, 100e9, ""), 8);
    EXPECT_EQ(images_that_fit(8, 1e9, 5e9, ""), 4);
    EXPECT_EQ(images_that_fit(8, 1e9, 0.9e9, ""), 1);  // the estimate is high: worth a try
    test::expect_error(ErrorCode::out_of_memory, "one image needs about 4.0 GB, 1.0 GB are free; wait",
                       [] { images_that_fit(8, 4e9, 1e9, "wait"); });
}

}  // namespace
}  // namespace gass
