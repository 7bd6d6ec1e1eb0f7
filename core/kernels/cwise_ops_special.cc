// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of special functions of two arguments.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"
#include "core/kernels/special_math.h"

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

template <typename T>
struct Zeta {
  T operator()(T x, T q) const { return special_math::Zeta(x, q); }
};

template <typename T>
struct Polygamma {
  T operator()(T a, T x) const { return special_math::Polygamma(a, x); }
};

}  // namespace
}  // namespace functor

REGISTER_KERNEL_FOR_TYPES(Name("Igamma").Device(DEVICE_CPU), "T",
                          Binary<functor::Igamma, 200>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Igammac").Device(DEVICE_CPU), "T",
                          Binary<functor::Igammac, 200>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Zeta").Device(DEVICE_CPU), "T",
                          Binary<functor::Zeta, 300>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Polygamma").Device(DEVICE_CPU), "T",
                          Binary<functor::Polygamma, 300>::Op, float, double);

}  // namespace tensorwright
