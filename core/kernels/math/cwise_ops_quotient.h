// SPDX-License-Identifier: Apache-2.0
// Loops that divide complex numbers, and the gradients of some such ops.  They
// compute a vector at a time and leave out C's checks for special values where
// those change nothing (Highway, chosen at run time).
//
// Results are within 3 units in the last place of the larger part; x / y of
// floats is within half a unit, because their products are taken in doubles,
// which hold them all. Results that are infinite, NaN or 0, or would overflow
// on the way, are those of the C++ library.  The output may be one of the
// inputs, but must not overlap it otherwise.  C is complex64 or complex128.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_H_

#include <complex>
#include <cstdint>

namespace tensorwright {

// A BinaryLoopFn for x / y.
template <typename C>
bool ComplexDivLoop(const void* x, const void* y, void* z, int64_t n,
                    int x_step, int y_step);

// A BinaryLoopFn for y = sqrt(x) and dy: dy / (2 conj(y)), and 0 where dy is 0.
template <typename C>
bool ComplexSqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                         int y_step, int dy_step);

// BinaryLoopFns: -dy conj(y)^2 for y = 1 / x, and -dy conj(y)^3 / 2 for y = 1 /
// sqrt(x); both are 0 where dy is 0.
template <typename C>
bool ComplexReciprocalGradLoop(const void* y, const void* dy, void* z,
                               int64_t n, int y_step, int dy_step);
template <typename C>
bool ComplexRsqrtGradLoop(const void* y, const void* dy, void* z, int64_t n,
                          int y_step, int dy_step);

// UnaryLoopFns: 1 / x; and x / |x|, which is 0 for 0.
template <typename C>
void ComplexReciprocalLoop(const void* x, void* y, int64_t n);
template <typename C>
void ComplexSignLoop(const void* x, void* y, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_QUOTIENT_H_
