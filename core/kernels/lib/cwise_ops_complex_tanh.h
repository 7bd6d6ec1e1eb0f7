// SPDX-License-Identifier: Apache-2.0
// The hyperbolic tangent of complex numbers, like the functions of
// cwise_ops_complex.h.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_COMPLEX_TANH_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_COMPLEX_TANH_H_

#include <cstdint>

namespace tensorwright {

// A UnaryLoopFn: y[i] = tanh(x[i]), 0 <= i < n, within 20 units in the last
// place of the larger part; beyond the range of its formula, at infinities and
// at NaNs it gives the C++ library's results.  C is complex64 or complex128.
template <typename C>
void ComplexTanhLoop(const void* x, void* y, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_COMPLEX_TANH_H_
