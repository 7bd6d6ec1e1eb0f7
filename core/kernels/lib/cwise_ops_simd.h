// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over floats, doubles and integers with the widest vectors
// the processor has (Highway, chosen at run time): SimdLoop of each functor
// whose row in cwise_table.h has a vector form.
//
//   SimdLoop<functor::Exp>::Run(x, y, n);              // y[i] = e^x[i]
//   SimdLoop<functor::Mul>::Run(x, y, z, n, 1, 0);     // z[i] = x[i] * y[0]
//
// Pointers need no alignment.  The output may be one of the inputs, but must
// not overlap it otherwise.  Error bounds against the exact result, in units in
// the last place: arithmetic, Sqrt, rounding 0.5; Rsqrt 2; Exp, Sigmoid, Sin,
// Cos, Log, Log1p, Expm1, Tanh, Tan, Sinh, Cosh, Asin, Acos, Atan, Asinh,
// Acosh, Atanh, Atan2 5; Erf, Erfc 7; Digamma 10, of 1 near its zeros.  NaN,
// infinities, zeros and arguments out of range give the C library's results.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_H_

#include <cstdint>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_row.h"

namespace tensorwright {

// The functor has no vector loop; a plain one serves.
template <template <typename> class F>
struct SimdLoop {
  // Is there a loop over floats and doubles?
  static constexpr bool kOfFloats = false;
  static constexpr bool kOfIntegers = false;  // Is there a loop over int32?
};

// y[i] = F(x[i]), 0 <= i < n.
struct SimdUnaryLoop {
  static constexpr bool kOfFloats = true;
  static constexpr bool kOfIntegers = false;
};

// z[i] = F(x[i * x_step], y[i * y_step]), 0 <= i < n; a step is 0 or 1.
template <unsigned kFlags>
struct SimdBinaryLoop {
  static constexpr bool kOfFloats = true;
  static constexpr bool kOfIntegers = (kFlags & kIntLoop) != 0;
};

}  // namespace tensorwright

#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_simd.h"

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_H_
