#pragma once

#include <ATen/Context.h>

namespace gass::nn {

/// While it lives, fp32 is fp32 on a GPU too: TF32 keeps 10 bits of a number, and moves on the sphere are
/// smaller than that.
class ExactFp32 {
  public:
    ExactFp32()
        : cudnn_(at::globalContext().allowTF32CuDNN()), cublas_(at::globalContext().allowTF32CuBLAS()) {
        at::globalContext().setAllowTF32CuDNN(false);
        at::globalContext().setAllowTF32CuBLAS(false);
    }
    ~ExactFp32() {
        at::globalContext().setAllowTF32CuDNN(cudnn_);
        at::globalContext().setAllowTF32CuBLAS(cublas_);
    }
    ExactFp32(const ExactFp32&) = delete;
    ExactFp32& operator=(const ExactFp32&) = delete;

  private:
    bool cudnn_;
    bool cublas_;
};

}  // namespace gass::nn
