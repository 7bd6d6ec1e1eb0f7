// SPDX-License-Identifier: Apache-2.0
// Transposition to memory past the caches, for outputs that would not stay in
// them: private to transpose_op*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_STREAM_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_STREAM_H_

#include <cstdint>
#include <type_traits>

#include "core/kernels/lib/stream_copy.h"

namespace tensorwright {

// Can this processor store elements of type T past the caches? Only with SSE2,
// and only unsigned integers.
template <typename T>
#ifdef __SSE2__
constexpr bool kCanStream = std::is_unsigned_v<T>;
#else
constexpr bool kCanStream = false;
#endif

constexpr int64_t kLineBytes = 64;
// A streamed tile has as many rows as a cache line has elements, and at most
// this many columns.
constexpr int64_t kStreamedCols = 2048;
template <typename T>
constexpr int64_t kLine = kLineBytes / sizeof(T);

// Is StreamTile faster than TransposeTile for an output of so many elements? It
// also needs rows that fill whole cache lines.
template <typename T>
bool IsTileStreamed(int64_t elements, int64_t rows, int64_t cols,
                    const T* out) {
  return IsStreamed(elements * int64_t{sizeof(T)}) && rows % kLine<T> == 0 &&
         cols >= kLine<T> && reinterpret_cast<uintptr_t>(out) % kLineBytes == 0;
}

// Does what TransposeTile does, for whole cache lines of the output.  T is an
// unsigned integer for which kCanStream is true.  The caller calls
// FinishStreams at the end.
template <typename T>
void StreamTile(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
                T* out, int64_t out_stride);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_STREAM_H_
