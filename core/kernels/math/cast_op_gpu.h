// SPDX-License-Identifier: Apache-2.0
// Cast on a GPU, for the host's side of the kernel.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CAST_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CAST_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// The types that a GPU casts between.
enum class GpuCastType {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kHalf,
  kBfloat16,
  kFloat,
  kDouble,
};

// y[i] = x[i] as another type.  The `cleared_bits` low bits of x count as 0.
Status GpuCast(CUstream_st* stream, GpuCastType from, GpuCastType to,
               const void* x, int cleared_bits, int64_t n, void* y);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CAST_OP_GPU_H_
