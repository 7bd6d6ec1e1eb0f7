// SPDX-License-Identifier: Apache-2.0
// Loops over complex numbers that divide, and gradients of some that do: a
// vector at a time, without C's detour where it changes nothing (Highway,
// chosen at run time).
//
// Within 3 units in the last place of the larger part; x / y of floats within
// half a unit, for their products are taken in doubles, which hold them all.
// What is infinite, NaN or 0, or would overflow on the way, is what the C++
// library gives.  The output may be one of the inputs, but must not overlap
// it otherwise.  C is complex64 or complex128.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_H_

#include <complex>
#include <cstdint>

namespace tensorwright {

// A BinaryLoopFn: x / y.
template <typename C>
bool ComplexDivLoop(const void* x, const void* y, void* z, int64_t n,
                    int x_step, int y_step);

// A BinaryLoopFn, of y = sqrt(x) and dy: dy / (2 conj(y)), and 0 where dy is.
template <typename C>
bool ComplexSqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                         int y_step, int dy_step);

// BinaryLoopFns: of y = 1 / x, -dy conj(y)^2; of y = 1 / sqrt(x),
// -dy conj(y)^3 / 2; and 0 where dy is.
template <typename C>
bool ComplexReciprocalGradLoop(const void* y, const void* dy, void* z,
                               int64_t n, int y_step, int dy_step);
template <typename C>
bool ComplexRsqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                          int y_step, int dy_step);

// UnaryLoopFns: 1 / x; x / |x|, and 0 for 0.
template <typename C>
void ComplexReciprocalLoop(const void* x, void* y, int64_t n);
template <typename C>
void ComplexSignLoop(const void* x, void* y, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_H_
