// SPDX-License-Identifier: Apache-2.0
// Rows combined with those that indices name, on the device.

#include "core/kernels/lib/gpu/scatter_gpu.h"

#include <cstring>

#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {
namespace {

template <GpuCombine kCombine, typename C>
__device__ __forceinline__ C Combined(C old, C update) {
  if constexpr (kCombine == GpuCombine::kAdd) {
    return old + update;
  } else if constexpr (kCombine == GpuCombine::kSub) {
    return old - update;
  } else if constexpr (kCombine == GpuCombine::kMul) {
    return old * update;
  } else if constexpr (kCombine == GpuCombine::kMax) {
    return old < update ? update : old;
  } else {
    return update < old ? update : old;
  }
}

template <typename To, typename From>
__device__ __forceinline__ To BitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// *address = the combination, in one step that no other thread disturbs.
template <GpuCombine kCombine, typename T>
__device__ void CombineAt(T* address, T update) {
  using C = Compute<T>;
  if constexpr (kCombine == GpuCombine::kAssign) {
    *address = update;
  } else if constexpr (kCombine == GpuCombine::kAdd &&
                       std::is_same_v<T, int64_t>) {
    using Word = unsigned long long;  // NOLINT: atomicAdd's.
    atomicAdd(reinterpret_cast<Word*>(address), static_cast<Word>(update));
  } else if constexpr (kCombine == GpuCombine::kAdd && !kIsNarrow<T>) {
    atomicAdd(address, update);
  } else if constexpr (sizeof(T) == 2) {
    // Changes it within the aligned word of 4 bytes around it.
    const auto place = reinterpret_cast<uintptr_t>(address);
    auto* const word = reinterpret_cast<unsigned*>(place & ~uintptr_t{3});
    const unsigned shift = (place & 2) * 8;
    unsigned old = *word, seen;
    do {
      seen = old;
      const T before = BitsAs<T>(static_cast<uint16_t>(seen >> shift));
      const T after =
          Narrow<T>(Combined<kCombine, C>(Widen(before), Widen(update)));
      const unsigned bits = BitsAs<uint16_t>(after);
      old =
          atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (bits << shift));
    } while (old != seen);
  } else {
    using Word = std::conditional_t<sizeof(T) == 4, unsigned,
                                    unsigned long long>;  // NOLINT: CUDA's.
    auto* const word = reinterpret_cast<Word*>(address);
    Word old = *word, seen;
    do {
      seen = old;
      const T after = Combined<kCombine, T>(BitsAs<T>(seen), update);
      old = atomicCAS(word, seen, BitsAs<Word>(after));
    } while (old != seen);
  }
}

template <typename T, typename I, GpuCombine kCombine, typename Index>
__global__ void __launch_bounds__(kThreads)
    ScatterKernel(GpuScatter s, int64_t total, Divider<Index> slice) {
  const Index step = GridStep<Index>(), end = static_cast<Index>(total);
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index row, at;
    slice.Divide(i, &row, &at);
    const I* const coordinates =
        static_cast<const I*>(s.indices) + static_cast<int64_t>(row) * s.depth;
    bool good = true;
    int64_t number = 0;
    for (int d = 0; d < s.depth; ++d) {
      const int64_t c = coordinates[d];
      good = good && c >= 0 && c < s.limits[d];
      number += c * s.strides[d];
    }
    if (!good) continue;
    CombineAt<kCombine>(static_cast<T*>(s.out) + number * s.slice + at,
                        static_cast<const T*>(s.updates)[i]);
  }
}

template <typename T, typename I, GpuCombine kCombine>
Status ScatterBy(CUstream_st* stream, const GpuScatter& s) {
  const int64_t total = s.rows * s.slice;
  if (total == 0) return OkStatus();
  const auto launch = [&]<typename Index>(Index) {
    return Launch(stream, Blocks(total), kThreads, 0,
                  ScatterKernel<T, I, kCombine, Index>, s, total,
                  Divider<Index>(s.slice));
  };
  return FitsIndex32(total) ? launch(uint32_t{}) : launch(uint64_t{});
}

template <typename T, typename I>
Status ScatterOf(CUstream_st* stream, const GpuScatter& s) {
  switch (s.combine) {
    case GpuCombine::kAdd:
      return ScatterBy<T, I, GpuCombine::kAdd>(stream, s);
    case GpuCombine::kSub:
      return ScatterBy<T, I, GpuCombine::kSub>(stream, s);
    case GpuCombine::kMul:
      return ScatterBy<T, I, GpuCombine::kMul>(stream, s);
    case GpuCombine::kMax:
      return ScatterBy<T, I, GpuCombine::kMax>(stream, s);
    case GpuCombine::kMin:
      return ScatterBy<T, I, GpuCombine::kMin>(stream, s);
    case GpuCombine::kAssign:
      return ScatterBy<T, I, GpuCombine::kAssign>(stream, s);
  }
  return errors::Internal("Scatter: no such combination");
}

}  // namespace
}  // namespace gpu

template <typename T>
Status GpuScatterRows(CUstream_st* stream, const GpuScatter& scatter) {
  return scatter.index_bytes == 4 ? gpu::ScatterOf<T, int32_t>(stream, scatter)
                                  : gpu::ScatterOf<T, int64_t>(stream, scatter);
}

#define TW_GPU_SCATTER(T) \
  template Status GpuScatterRows<T>(CUstream_st*, const GpuScatter&)
TW_GPU_SCATTER(gpu::Half);
TW_GPU_SCATTER(gpu::Bfloat16);
TW_GPU_SCATTER(float);
TW_GPU_SCATTER(double);
TW_GPU_SCATTER(int32_t);
TW_GPU_SCATTER(int64_t);

}  // namespace tensorwright
