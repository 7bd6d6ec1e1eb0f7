// SPDX-License-Identifier: Apache-2.0
// Loops of Zeta and Polygamma with the widest vectors the processor has.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_ZETA_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_ZETA_H_

#include <cstdint>

namespace tensorwright {

// z[i] = Zeta(s[i * s_step], q[i * q_step]), 0 <= i < n; a step is 0 or 1.  A
// BinaryLoopFn (cwise_ops.h): arguments are arrays of T, z may be one of them,
// and the result is true.  Defined for float and double.
template <typename T>
bool ZetaLoop(const void* s, const void* q, void* z, int64_t n, int s_step,
              int q_step);

// The same loop for Polygamma(order, x).
template <typename T>
bool PolygammaLoop(const void* order, const void* x, void* z, int64_t n,
                   int order_step, int x_step);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_ZETA_H_
