// SPDX-License-Identifier: Apache-2.0
// The inner loop of QuantizedMatMul (Highway, chosen at run time).
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_QUANTIZED_OPS_MATMUL_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_QUANTIZED_OPS_MATMUL_H_

#include <cstdint>

namespace tensorwright {

// The number of columns of b that are multiplied at a time; a multiple of every
// vector size.
inline constexpr int64_t kProductColumns = 256;

// c[r, j] += sum_p a[r, p] . b[p, j] for four rows r, modulo 2^32.  An element
// of a or b is a pair of 16-bit numbers, and "." multiplies the pairs number by
// number and adds the two products: one instruction for a vector of pairs. a:
// [4, pairs], b: [pairs, kProductColumns], c: [4, kProductColumns].  Only the
// first `columns` columns of c are results; the others may be overwritten.
// Computation, not memory, bounds the speed.
void MultiplyPairs(const int32_t* a, const int32_t* b, int64_t pairs,
                   int64_t columns, int32_t* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_QUANTIZED_OPS_MATMUL_H_
