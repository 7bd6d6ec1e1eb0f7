// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of later versions than 1.3 that are in no row of
// cwise_table.h.

#include <cmath>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"

namespace tensorwright {
namespace functor {
namespace {

// The angle of a complex number, in (-pi, pi].
template <typename T>
struct Angle {
  typename T::value_type operator()(T x) const {
    return std::atan2(x.imag(), x.real());
  }
};

template <typename T>
struct NextAfter {
  T operator()(T x, T y) const { return std::nextafter(x, y); }
};

}  // namespace
}  // namespace functor

REGISTER_KERNEL_FOR_TYPES(
    Name("Angle").Device(DEVICE_CPU).TypeConstraint<float>("Tout"), "T",
    Unary<functor::Angle, 20>::Op, complex64);
REGISTER_KERNEL_FOR_TYPES(
    Name("Angle").Device(DEVICE_CPU).TypeConstraint<double>("Tout"), "T",
    Unary<functor::Angle, 20>::Op, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("NextAfter").Device(DEVICE_CPU), "T",
                          Binary<functor::NextAfter, 5>::Op, float, double);

}  // namespace tensorwright
