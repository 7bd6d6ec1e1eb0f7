// SPDX-License-Identifier: Apache-2.0
// Moves of elements that indices or conditions choose, as a device's code takes
// them: addresses of the device and sizes, in elements.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_TYPES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_TYPES_H_

#include <cstdint>

namespace tensorwright {

// params: [batch, outer, limit, slice], indices: [batch, n], out: [batch,
// outer, n, slice].  An index outside [0, limit) gives zeros, as on
// TensorFlow's GPUs, where an error would have to wait for the device.
struct GatherMove {
  const void* params;
  const void* indices;
  int64_t index_bytes;  // 4 or 8, signed.
  int64_t batch, outer, limit, slice, n;
  int64_t size;  // Bytes of an element.
  void* out;
};

// Row r of out, `slice` elements, is that at the coordinates in row r of
// indices, [rows, depth]; zeros if one of them is out of range.
struct GatherNdMove {
  static constexpr int kMaxDepth = 8;
  const void* params;
  const void* indices;
  int64_t index_bytes;
  int64_t rows, slice;
  int depth;
  int64_t limits[kMaxDepth];
  int64_t strides[kMaxDepth];  // In slices.
  int64_t size;
  void* out;
};

// indices: [prefix, suffix], out: [prefix, depth, suffix].
struct OneHotMove {
  const void* indices;
  int64_t index_bytes;  // 1, unsigned, or 4 or 8, signed.
  int64_t prefix, depth, suffix;
  const void* on;
  const void* off;
  int64_t size;
  void* out;
};

// out[i0, i1, ...] = yes where condition, else no.  strides[0] are those of the
// condition, a bool, strides[1] of yes, strides[2] of no; out is dense.
struct SelectMove {
  static constexpr int kMaxRank = 12;
  const void* condition;
  const void* yes;
  const void* no;
  int rank;
  int64_t sizes[kMaxRank];
  int64_t strides[3][kMaxRank];
  int64_t size;
  void* out;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_TYPES_H_
