// SPDX-License-Identifier: Apache-2.0
// The inner loop of QuantizedConv2D (Highway, chosen at run time).
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_QUANTIZED_CONV_OPS_PRODUCT_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_QUANTIZED_CONV_OPS_PRODUCT_H_

#include <cstdint>

namespace tensorwright {

// The number of columns that are multiplied at a time; a multiple of every
// vector size times two.
inline constexpr int64_t kPatchColumns = 32;

// sums[r, j] += sum_p a[r, p] . b[p, j] for four rows r, modulo 2^32.  An
// element of a or b is a pair of 16-bit numbers, and "." multiplies the pairs
// number by number and adds the two products: one instruction for a vector of
// pairs.
//   a     [4, 2 * pairs], rows `a_row` numbers apart
//   b     [pairs, columns], a pair the lower and upper half of an element
//   sums  [4, columns]
// `columns` is a multiple of kPatchColumns.  Any alignment.  Computation, not
// memory, bounds the speed while b stays in the second-level cache.
void MultiplyPatches(const uint16_t* a, int64_t a_row, const uint32_t* b,
                     int64_t pairs, int64_t columns, uint32_t* sums);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_QUANTIZED_CONV_OPS_PRODUCT_H_
