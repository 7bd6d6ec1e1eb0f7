// SPDX-License-Identifier: Apache-2.0
// Cast on the device.  A kernel a result's type; the operand's type is chosen
// within it, which memory hides.

#include "core/kernels/math/cast_op_gpu.h"

#include <cstring>

#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {
namespace {

template <typename To, typename From>
__device__ __forceinline__ To CastOne(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return Widen(x) != Compute<From>(0);
  } else if constexpr (kIsNarrow<To>) {
    return Narrow<To>(static_cast<float>(Widen(x)));
  } else {
    return static_cast<To>(Widen(x));
  }
}

template <typename T>
__device__ __forceinline__ T Cleared(T x, int bits) {
  if (bits == 0) return x;
  if constexpr (sizeof(T) == 8) {
    uint64_t word;
    memcpy(&word, &x, sizeof(word));
    word &= ~((uint64_t{1} << bits) - 1);
    memcpy(&x, &word, sizeof(word));
  } else if constexpr (sizeof(T) == 4) {
    uint32_t word;
    memcpy(&word, &x, sizeof(word));
    word &= ~((uint32_t{1} << bits) - 1);
    memcpy(&x, &word, sizeof(word));
  } else if constexpr (sizeof(T) == 2) {
    uint16_t word;
    memcpy(&word, &x, sizeof(word));
    word &= static_cast<uint16_t>(~((1u << bits) - 1));
    memcpy(&x, &word, sizeof(word));
  }
  return x;
}

template <typename To, typename From>
__device__ void CastAll(const void* x, int cleared_bits, int64_t n, To* y) {
  const From* const in = static_cast<const From*>(x);
  for (int64_t i = GridFirst<int64_t>(); i < n; i += GridStep<int64_t>()) {
    y[i] = CastOne<To>(Cleared(in[i], cleared_bits));
  }
}

template <typename To>
__global__ void __launch_bounds__(kThreads)
    CastKernel(GpuCastType from, const void* __restrict__ x, int cleared_bits,
               int64_t n, To* __restrict__ y) {
  switch (from) {
    case GpuCastType::kBool:
      return CastAll<To, bool>(x, 0, n, y);
    case GpuCastType::kInt8:
      return CastAll<To, int8_t>(x, 0, n, y);
    case GpuCastType::kInt16:
      return CastAll<To, int16_t>(x, 0, n, y);
    case GpuCastType::kInt32:
      return CastAll<To, int32_t>(x, 0, n, y);
    case GpuCastType::kInt64:
      return CastAll<To, int64_t>(x, 0, n, y);
    case GpuCastType::kUint8:
      return CastAll<To, uint8_t>(x, 0, n, y);
    case GpuCastType::kUint16:
      return CastAll<To, uint16_t>(x, 0, n, y);
    case GpuCastType::kUint32:
      return CastAll<To, uint32_t>(x, 0, n, y);
    case GpuCastType::kUint64:
      return CastAll<To, uint64_t>(x, 0, n, y);
    case GpuCastType::kHalf:
      return CastAll<To, Half>(x, cleared_bits, n, y);
    case GpuCastType::kBfloat16:
      return CastAll<To, Bfloat16>(x, cleared_bits, n, y);
    case GpuCastType::kFloat:
      return CastAll<To, float>(x, cleared_bits, n, y);
    case GpuCastType::kDouble:
      return CastAll<To, double>(x, cleared_bits, n, y);
  }
}

template <typename To>
Status CastTo(CUstream_st* stream, GpuCastType from, const void* x,
              int cleared_bits, int64_t n, void* y) {
  return Launch(stream, Blocks(n), kThreads, 0, CastKernel<To>, from, x,
                cleared_bits, n, static_cast<To*>(y));
}

}  // namespace
}  // namespace gpu

Status GpuCast(CUstream_st* stream, GpuCastType from, GpuCastType to,
               const void* x, int cleared_bits, int64_t n, void* y) {
  switch (to) {
    case GpuCastType::kBool:
      return gpu::CastTo<bool>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kInt8:
      return gpu::CastTo<int8_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kInt16:
      return gpu::CastTo<int16_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kInt32:
      return gpu::CastTo<int32_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kInt64:
      return gpu::CastTo<int64_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kUint8:
      return gpu::CastTo<uint8_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kUint16:
      return gpu::CastTo<uint16_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kUint32:
      return gpu::CastTo<uint32_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kUint64:
      return gpu::CastTo<uint64_t>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kHalf:
      return gpu::CastTo<gpu::Half>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kBfloat16:
      return gpu::CastTo<gpu::Bfloat16>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kFloat:
      return gpu::CastTo<float>(stream, from, x, cleared_bits, n, y);
    case GpuCastType::kDouble:
      return gpu::CastTo<double>(stream, from, x, cleared_bits, n, y);
  }
  return errors::Internal("Cast: no such type");
}

}  // namespace tensorwright
