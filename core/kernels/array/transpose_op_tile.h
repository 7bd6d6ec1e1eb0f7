// SPDX-License-Identifier: Apache-2.0
// Transposition of a small tile, which stays in the cache: private to
// transpose_op*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_TILE_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_TILE_H_

#include <cstdint>

namespace tensorwright {

// out[c * out_stride + r] = in[r * in_stride + c] for a small tile.
template <typename T>
void TransposeTile(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
                   T* out, int64_t out_stride) {
  for (int64_t c = 0; c < cols; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      out[c * out_stride + r] = in[r * in_stride + c];
    }
  }
}

// The same for plain elements.  It transposes small squares in vector registers
// if the processor has them.
void TransposeTile(const uint64_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint64_t* out, int64_t out_stride);
void TransposeTile(const uint32_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint32_t* out, int64_t out_stride);
void TransposeTile(const uint16_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint16_t* out, int64_t out_stride);
void TransposeTile(const uint8_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint8_t* out, int64_t out_stride);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_TILE_H_
