// SPDX-License-Identifier: Apache-2.0
// Cumsum and Cumprod on the device: a block a row, or a thread a column.

#include "core/kernels/math/scan_ops_gpu.h"

#include "core/kernels/lib/cwise_functors.h"
#include "core/lib/gpu/collectives.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {
namespace {

template <typename C, bool kProduct>
struct ScanStep {
  __device__ static C Empty() { return C(kProduct ? 1 : 0); }
  __device__ C operator()(C x, C y) const {
    if constexpr (kProduct) {
      return functor::Mul<C>()(x, y);
    } else {
      return functor::Add<C>()(x, y);
    }
  }
};

template <typename T, bool kProduct>
__global__ void __launch_bounds__(kThreads)
    ScanRowsKernel(const T* __restrict__ x, int64_t rows, int64_t n,
                   bool exclusive, bool reverse, T* __restrict__ out) {
  using C = Compute<T>;
  using Step = ScanStep<C, kProduct>;
  const Step step;
  for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
    C before = Step::Empty();  // Of the pieces before.
    for (int64_t first = 0; first < n; first += kThreads) {
      const int64_t i = first + threadIdx.x;
      const int64_t at = r * n + (reverse ? n - 1 - i : i);
      const C own = i < n ? Widen(x[at]) : Step::Empty();
      C total;
      const C scanned = BlockScan<kThreads>(own, Step::Empty(), step, &total);
      C result = scanned;
      if (exclusive) {
        // The scan of the thread before, across warps too.
        GPU_SHARED(C, scans, kThreads);
        __syncthreads();
        scans[threadIdx.x] = scanned;
        __syncthreads();
        result = threadIdx.x == 0 ? Step::Empty() : scans[threadIdx.x - 1];
      }
      if (i < n) out[at] = Narrow<T>(step(before, result));
      before = step(before, total);
    }
  }
}

template <typename T, bool kProduct>
__global__ void __launch_bounds__(kThreads)
    ScanColumnsKernel(const T* __restrict__ x, int64_t outer, int64_t n,
                      int64_t inner, bool exclusive, bool reverse,
                      T* __restrict__ out) {
  using C = Compute<T>;
  using Step = ScanStep<C, kProduct>;
  const Step step;
  const int64_t columns = outer * inner;
  for (int64_t c = GridFirst<int64_t>(); c < columns;
       c += GridStep<int64_t>()) {
    const int64_t o = c / inner;
    const int64_t column = o * n * inner + (c - o * inner);
    C sum = Step::Empty();
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = column + (reverse ? n - 1 - k : k) * inner;
      const C next = step(sum, Widen(x[at]));
      out[at] = Narrow<T>(exclusive ? sum : next);
      sum = next;
    }
  }
}

}  // namespace
}  // namespace gpu

template <typename T, bool kProduct>
Status GpuScan(CUstream_st* stream, const void* x, int64_t outer, int64_t n,
               int64_t inner, bool exclusive, bool reverse, void* out) {
  const T* const in = static_cast<const T*>(x);
  T* const to = static_cast<T*>(out);
  if (inner == 1) {
    return gpu::Launch(stream, gpu::Blocks(outer, 1), gpu::kThreads, 0,
                       gpu::ScanRowsKernel<T, kProduct>, in, outer, n,
                       exclusive, reverse, to);
  }
  return gpu::Launch(stream, gpu::Blocks(outer * inner), gpu::kThreads, 0,
                     gpu::ScanColumnsKernel<T, kProduct>, in, outer, n, inner,
                     exclusive, reverse, to);
}

#define TW_GPU_SCAN(T)                                                    \
  template Status GpuScan<T, false>(CUstream_st*, const void*, int64_t,   \
                                    int64_t, int64_t, bool, bool, void*); \
  template Status GpuScan<T, true>(CUstream_st*, const void*, int64_t,    \
                                   int64_t, int64_t, bool, bool, void*)
TW_GPU_SCAN(gpu::Half);
TW_GPU_SCAN(gpu::Bfloat16);
TW_GPU_SCAN(float);
TW_GPU_SCAN(double);

}  // namespace tensorwright
