// SPDX-License-Identifier: Apache-2.0
// The inner loop of QuantizedMatMul (Highway, chosen at run time).
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_QUANTIZED_OPS_MATMUL_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_QUANTIZED_OPS_MATMUL_H_

#include <cstdint>

namespace tensorwright {

// Columns of what is multiplied at a time; a multiple of every vector's size.
inline constexpr int64_t kProductColumns = 256;

// c[r, j] += sum_p a[r, p] . b[p, j] for four rows r, modulo 2^32, where p
// counts pairs of 16-bit numbers, of which both are multiplied and added: one
// instruction for a vector of them.  a: [4, pairs], b: [pairs,
// kProductColumns], c: [4, kProductColumns], of which the first `columns` count
// and the others may be written.  Compute bounds it.
void MultiplyPairs(const int32_t* a, const int32_t* b, int64_t pairs,
                   int64_t columns, int32_t* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_QUANTIZED_OPS_MATMUL_H_
