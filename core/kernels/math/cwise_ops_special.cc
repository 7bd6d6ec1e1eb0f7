// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of special functions of two arguments.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/math/cwise_ops_zeta.h"
#include "core/kernels/math/special_math.h"

namespace tensorwright {
namespace functor {
namespace {

template <typename T>
struct Igamma {
  T operator()(T a, T x) const { return special_math::Igamma(a, x); }
};

template <typename T>
struct Igammac {
  T operator()(T a, T x) const { return special_math::Igammac(a, x); }
};

}  // namespace
}  // namespace functor

template <typename T>
class ZetaOp final : public BinaryOpBase {
 public:
  explicit ZetaOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &ZetaLoop<T>, /*failure=*/"", /*cost=*/50) {}
};

template <typename T>
class PolygammaOp final : public BinaryOpBase {
 public:
  explicit PolygammaOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &PolygammaLoop<T>, /*failure=*/"", /*cost=*/50) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Igamma").Device(DEVICE_CPU), "T",
                          Binary<functor::Igamma, 200>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Igammac").Device(DEVICE_CPU), "T",
                          Binary<functor::Igammac, 200>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Zeta").Device(DEVICE_CPU), "T", ZetaOp, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("Polygamma").Device(DEVICE_CPU), "T",
                          PolygammaOp, float, double);

}  // namespace tensorwright
