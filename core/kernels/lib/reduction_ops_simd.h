// SPDX-License-Identifier: Apache-2.0
// Reductions of one run of floats or doubles with the widest vectors the
// processor has (Highway, chosen at run time).
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_REDUCTION_OPS_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_REDUCTION_OPS_SIMD_H_

#include <cstdint>

namespace tensorwright {

enum class SimdReduction : uint8_t { kSum, kProd, kMax, kMin };

// Reduces x[0..n), n > 0, in any order.  Extrema are NaN if one of the numbers
// is.
float SimdReduce(SimdReduction reduction, const float* x, int64_t n);
double SimdReduce(SimdReduction reduction, const double* x, int64_t n);

// y[i] = exp(x[i] - shift) for x[i] <= shift; returns the sum of y[0..n).  This
// is the heart of a softmax.  y may be x.
float SimdExpAndSum(const float* x, float shift, float* y, int64_t n);
double SimdExpAndSum(const double* x, double shift, double* y, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_REDUCTION_OPS_SIMD_H_
