// SPDX-License-Identifier: Apache-2.0
// Multiplies float matrices that are whole in a cache, on the calling thread,
// with the widest vectors the processor has (Highway, chosen at run time).  It
// does not pack operands: a convolution makes them block by block in some
// hundred kilobytes, for which packing would cost as much as it saves.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_PRODUCT_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_PRODUCT_H_

#include <cstdint>

namespace tensorwright {

// The number of columns of b and c must be a multiple of this.
inline constexpr int kProductColumns = 16;

// c = a x b:  a [m, k], b [k, n], c [m, n], row-major.  Any alignment.
void Multiply(int64_t m, int64_t k, int64_t n, const float* a, const float* b,
              float* c);
// c += a^T x b:  a [k, m].
void MultiplyTransposed(int64_t m, int64_t k, int64_t n, const float* a,
                        const float* b, float* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_PRODUCT_H_
