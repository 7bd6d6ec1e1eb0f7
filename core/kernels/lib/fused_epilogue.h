// SPDX-License-Identifier: Apache-2.0
// FusedEpilogue: the end of _FusedMatMul and _FusedConv2D: adds a bias to each
// row of a product, then applies an activation.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_FUSED_EPILOGUE_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_FUSED_EPILOGUE_H_

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/util/elementwise.h"
#include "core/util/fused_program.h"

namespace tensorwright {

class FusedEpilogue {
 public:
  // Makes it from a program whose first step is the product of inputs 0 and 1,
  // whose second step adds input 2 and whose third, if there is one, is an
  // activation (IsActivation) of that sum. InvalidArgument for any other
  // program.
  static Status FromProgram(const FusedProgram& program,
                            FusedEpilogue* epilogue);

  bool has_activation() const { return activation_ != nullptr; }

  // data[r, c] = activation(data[r, c] + bias[c]), in place, on several
  // threads. Without a bias (null) it only applies the activation.
  void Apply(OpKernelContext* ctx, int64_t rows, int64_t cols,
             const float* bias, float* data) const;

 private:
  ElementwiseLoopFn activation_ = nullptr;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_FUSED_EPILOGUE_H_
