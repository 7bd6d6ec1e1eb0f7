// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over half that convert in registers, where the loops of
// cwise_ops.h go through blocks of floats: twice as quick if memory does not
// bound them.  Results have the same bits.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_HALF_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_HALF_H_

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/cwise_ops.h"

// The sections whose vector forms need only arithmetic.
#define TW_HALF_ROWS \
  (TW_ARITHMETIC_ROWS | TW_BINARY_ROWS | TW_DIVISION_ROWS | TW_GRAD_ROWS)

namespace tensorwright {

// The functors of those sections, by number.
enum class HalfRow : uint8_t {
#define TW_UNARY(op, cost, types, gpu, flags, ...) k##op,
#define TW_BINARY(op, cost, types, gpu, flags, ...) k##op,
#define TW_ROWS TW_HALF_ROWS
#include "core/kernels/lib/cwise_table.h"
#undef TW_ROWS
};

// As SimdLoop, for rows with kHalfLoop.  False, with nothing done, for other
// rows, and if the processor has no conversions.
bool SimdUnaryHalf(HalfRow row, const Eigen::half* x, Eigen::half* y,
                   int64_t n);
bool SimdBinaryHalf(HalfRow row, const Eigen::half* x, const Eigen::half* y,
                    Eigen::half* z, int64_t n, int x_step, int y_step);

template <template <typename> class F>
struct HalfRowOf;
#define TW_UNARY(op, cost, types, gpu, flags, ...)             \
  template <>                                                  \
  struct HalfRowOf<functor::op> {                              \
    static constexpr HalfRow kRow = HalfRow::k##op;            \
    static constexpr bool kHasLoop = ((flags)&kHalfLoop) != 0; \
  };
#define TW_BINARY(op, cost, types, gpu, flags, ...) \
  TW_UNARY(op, cost, types, gpu, flags)
#define TW_ROWS TW_HALF_ROWS
#include "core/kernels/lib/cwise_table.h"
#undef TW_ROWS

template <template <typename> class F>
void HalfUnaryLoop(const void* x, void* y, int64_t n) {
  static_assert(HalfRowOf<F>::kHasLoop, "its row needs kHalfLoop");
  using Eigen::half;
  if (!SimdUnaryHalf(HalfRowOf<F>::kRow, static_cast<const half*>(x),
                     static_cast<half*>(y), n)) {
    UnaryLoop<F, half>(x, y, n);
  }
}

template <template <typename> class F>
bool HalfBinaryLoop(const void* x, const void* y, void* z, int64_t n,
                    int x_step, int y_step) {
  static_assert(HalfRowOf<F>::kHasLoop, "its row needs kHalfLoop");
  using Eigen::half;
  return SimdBinaryHalf(HalfRowOf<F>::kRow, static_cast<const half*>(x),
                        static_cast<const half*>(y), static_cast<half*>(z), n,
                        x_step, y_step) ||
         BinaryLoop<F, half>(x, y, z, n, x_step, y_step);
}

// Kernels like Unary and Binary.
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
