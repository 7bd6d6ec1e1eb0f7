// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over half that convert in registers, where the loops of
// cwise_ops.h go through blocks of floats: twice as quick where memory is not
// what bounds them.  Results are the same bits.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_HALF_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_HALF_H_

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/cwise_ops.h"

namespace tensorwright {

// As SimdUnary and SimdBinary, of kRsqrt; and of kAdd, kSub, kMul, kDiv,
// kMaximum, kMinimum, kReciprocalGrad.  False, and nothing done, where the
// processor has no conversions.
bool SimdUnaryHalf(SimdUnaryOp op, const Eigen::half* x, Eigen::half* y,
                   int64_t n);
bool SimdBinaryHalf(SimdBinaryOp op, const Eigen::half* x, const Eigen::half* y,
                    Eigen::half* z, int64_t n, int x_step, int y_step);

template <template <typename> class F>
void HalfUnaryLoop(const void* x, void* y, int64_t n) {
  using Eigen::half;
  if (!SimdUnaryHalf(kSimdUnary<F>, static_cast<const half*>(x),
                     static_cast<half*>(y), n)) {
    UnaryLoop<F, half>(x, y, n);
  }
}

template <template <typename> class F>
bool HalfBinaryLoop(const void* x, const void* y, void* z, int64_t n,
                    int x_step, int y_step) {
  using Eigen::half;
  return SimdBinaryHalf(kSimdBinary<F>, static_cast<const half*>(x),
                        static_cast<const half*>(y), static_cast<half*>(z), n,
                        x_step, y_step) ||
         BinaryLoop<F, half>(x, y, z, n, x_step, y_step);
}

// Kernels, as Unary and Binary.
template <template <typename> class F, int kCost = 1>
struct HalfUnary {
  template <typename T>
  class Op final : public UnaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : UnaryOpBase(ctx, &HalfUnaryLoop<F>, kCost) {}
  };
};

template <template <typename> class F, int kCost = 1>
struct HalfBinary {
  template <typename T>
  class Op final : public BinaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : BinaryOpBase(ctx, &HalfBinaryLoop<F>, "", kCost) {}
  };
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_HALF_H_
