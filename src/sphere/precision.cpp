#include "sphere/precision.h"

#include "core/fail.h"

#include <ATen/ATen.h>

namespace gass::sphere {

at::Tensor exact(const at::Tensor& given) {
    at::Tensor numbers = given.detach().to(at::kCPU, at::kDouble).contiguous();
    if (!numbers.isfinite().all().item<bool>()) {
        fail(ErrorCode::failure, "sphere",
             "expected finite embeddings, {} of {} numbers are not; what made them overflowed: use a wider "
             "dtype",
             numbers.isfinite().logical_not().sum().item<std::int64_t>(), numbers.numel());
    }
    return numbers;
}

at::Tensor like(const at::Tensor& given, const at::Tensor& result) {
    return result.to(given.device(), given.scalar_type());
}

}  // namespace gass::sphere
