// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over complex numbers: they treat real and imaginary parts
// separately, in blocks, with the vector functions of cwise_ops_simd.h.
//
// Results are within 10 units in the last place of the larger part; log near
// |x| = 1 within that of 1.  For infinities, NaNs, and numbers that would
// overflow on the way, the results are those of the C++ library.  y may be x.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_COMPLEX_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_COMPLEX_H_

#include <complex>
#include <cstdint>

namespace tensorwright {

enum class ComplexUnaryOp : uint8_t { kNone, kExp, kLog, kSqrt, kSigmoid };

// y[i] = op(x[i]), 0 <= i < n.  op is not kNone.
void ComplexUnary(ComplexUnaryOp op, const std::complex<float>* x,
                  std::complex<float>* y, int64_t n);
void ComplexUnary(ComplexUnaryOp op, const std::complex<double>* x,
                  std::complex<double>* y, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_COMPLEX_H_
