// SPDX-License-Identifier: Apache-2.0
// TopK on the device: for each of the k results a team of threads walks over
// the row and finds the largest that comes after the one before.

#include "core/kernels/nn/topk_op_gpu.h"

#include "core/kernels/lib/gpu/rows_gpu.cu.h"

namespace tensorwright {
namespace gpu {
namespace {

// An element and its place; none if the place is negative.
template <typename C>
struct Ranked {
  C value;
  int64_t place;

  __device__ Ranked ShuffledXor(int bits) const {
    return {ShuffleXor(value, bits), ShuffleXor(place, bits)};
  }
};

// Does x come before y?
template <typename C>
__device__ bool Before(Ranked<C> x, Ranked<C> y) {
  const bool x_nan = x.value != x.value, y_nan = y.value != y.value;
  if (x_nan || y_nan) return x_nan == y_nan ? x.place < y.place : x_nan;
  return x.value > y.value || (x.value == y.value && x.place < y.place);
}

struct First {
  template <typename C>
  __device__ Ranked<C> operator()(Ranked<C> x, Ranked<C> y) const {
    if (x.place < 0) return y;
    if (y.place < 0) return x;
    return Before(y, x) ? y : x;
  }
};

template <typename T, int kTeam>
__global__ void __launch_bounds__(kThreads)
    TopKKernel(const T* __restrict__ x, int64_t rows, int64_t n, int64_t k,
               int64_t index_bytes, T* __restrict__ values,
               void* __restrict__ indices) {
  using Team = RowTeam<kTeam>;
  using C = Compute<T>;
  for (int64_t r = Team::First(); r < rows; r += Team::Step()) {
    const T* const row = x + r * n;
    Ranked<C> last{C(0), -1};
    for (int64_t j = 0; j < k; ++j) {
      Ranked<C> best{C(0), -1};
      for (int64_t i = Team::Member(); i < n; i += kTeam) {
        const Ranked<C> one{static_cast<C>(Widen(row[i])), i};
        if (last.place < 0 || Before(last, one)) best = First()(best, one);
      }
      last = Team::Reduce(best, Ranked<C>{C(0), -1}, First());
      if (Team::Member() == 0) {
        values[r * k + j] = row[last.place];
        if (index_bytes == 4) {
          static_cast<int32_t*>(indices)[r * k + j] =
              static_cast<int32_t>(last.place);
        } else {
          static_cast<int64_t*>(indices)[r * k + j] = last.place;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpu

template <typename T>
Status GpuTopK(CUstream_st* stream, const void* x, int64_t rows, int64_t n,
               int64_t k, int64_t index_bytes, void* values, void* indices) {
  return gpu::LaunchRows(stream, rows, n, gpu::TopKKernel<T, gpu::kWarp>,
                         gpu::TopKKernel<T, gpu::kThreads>,
                         static_cast<const T*>(x), rows, n, k, index_bytes,
                         static_cast<T*>(values), indices);
}

#define TW_GPU_TOPK(T)                                                    \
  template Status GpuTopK<T>(CUstream_st*, const void*, int64_t, int64_t, \
                             int64_t, int64_t, void*, void*)
TW_GPU_TOPK(gpu::Half);
TW_GPU_TOPK(gpu::Bfloat16);
TW_GPU_TOPK(float);
TW_GPU_TOPK(double);
TW_GPU_TOPK(int32_t);
TW_GPU_TOPK(int64_t);

}  // namespace tensorwright
