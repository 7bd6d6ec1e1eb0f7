// SPDX-License-Identifier: Apache-2.0
// FusedEpilogue: what _FusedMatMul and _FusedConv2D do to a product: add a bias
// to each row, then apply an activation.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_FUSED_EPILOGUE_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_FUSED_EPILOGUE_H_

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/util/elementwise.h"
#include "core/util/fused_program.h"

namespace tensorwright {

class FusedEpilogue {
 public:
  // Of a program whose first step is the product of inputs 0 and 1, whose
  // second adds input 2 and whose third, if there is one, is an activation
  // (IsActivation) of that. InvalidArgument for any other.
  static Status FromProgram(const FusedProgram& program,
                            FusedEpilogue* epilogue);

  bool has_activation() const { return activation_ != nullptr; }

  // data[r, c] = activation(data[r, c] + bias[c]), in place, shared out.
  // Without a bias (null) only the activation.
  void Apply(OpKernelContext* ctx, int64_t rows, int64_t cols,
             const float* bias, float* data) const;

 private:
  ElementwiseLoopFn activation_ = nullptr;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_FUSED_EPILOGUE_H_
