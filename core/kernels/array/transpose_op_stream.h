// SPDX-License-Identifier: Apache-2.0
// Transposition to memory past the caches, for outputs that would not stay in
// them: private to transpose_op*.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_STREAM_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_STREAM_H_

#include <cstdint>
#include <type_traits>

#include "core/kernels/lib/stream_copy.h"

namespace tensorwright {

// Whether the processor has what it takes, for elements of the type.
template <typename T>
#ifdef __SSE2__
constexpr bool kCanStream = std::is_unsigned_v<T>;
#else
constexpr bool kCanStream = false;
#endif

constexpr int64_t kLineBytes = 64;
// A streamed tile is one line high and so wide, at most.
constexpr int64_t kStreamedCols = 2048;
template <typename T>
constexpr int64_t kLine = kLineBytes / sizeof(T);

// Whether an output of so many elements is worth StreamTile, and its rows are
// whole lines.
template <typename T>
bool IsTileStreamed(int64_t elements, int64_t rows, int64_t cols,
                    const T* out) {
  return IsStreamed(elements * int64_t{sizeof(T)}) && rows % kLine<T> == 0 &&
         cols >= kLine<T> && reinterpret_cast<uintptr_t>(out) % kLineBytes == 0;
}

// As TransposeTile, of whole lines of the output; T is an unsigned integer for
// which kCanStream.  The caller ends with FinishStreams.
template <typename T>
void StreamTile(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
                T* out, int64_t out_stride);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_STREAM_H_
