#pragma once

#include "guidance/fake_vision.h"

namespace gass::test {

/// FakeVision with a projection that is known elsewhere too, [48, d]; it sees in fp64 what comes in fp64.
class GivenVision final : public FakeVision {
  public:
    explicit GivenVision(at::Tensor projection) : given_(std::move(projection)) {}

    at::Tensor embed(const at::Tensor& images) const override {
        const at::Tensor pixels = at::adaptive_avg_pool2d(images, {4, 4}).flatten(1);
        const at::Tensor features = pixels.matmul(given_.to(pixels.scalar_type()));
        return features / features.norm(2, -1, true);
    }

  private:
    at::Tensor given_;
};

}  // namespace gass::test
