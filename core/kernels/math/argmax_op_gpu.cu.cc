// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin on the device: a team of threads a row, or a thread a
// column.

#include "core/kernels/math/argmax_op_gpu.h"

#include "core/kernels/lib/gpu/rows_gpu.cu.h"

namespace tensorwright {
namespace gpu {
namespace {

// A value and its place; none if the place is negative.
template <typename C>
struct Placed {
  C value;
  int64_t place;

  __device__ Placed ShuffledXor(int bits) const {
    return {ShuffleXor(value, bits), ShuffleXor(place, bits)};
  }
};

// The more extreme of two; of equals the one further in front.
template <typename C, bool kMax>
struct MoreExtreme {
  __device__ Placed<C> operator()(Placed<C> x, Placed<C> y) const {
    if (x.place < 0) return y;
    if (y.place < 0) return x;
    const bool y_wins = kMax ? y.value > x.value : y.value < x.value;
    const bool equal = y.value == x.value;
    return y_wins || (equal && y.place < x.place) ? y : x;
  }
};

template <typename C>
__device__ Placed<C> PlacedAt(C value, int64_t place) {
  return {value, value == value ? place : -1};
}

// A row of nothing but NaN gives its first place.
template <typename C>
__device__ void PutPlace(Placed<C> best, int64_t at, int64_t index_bytes,
                         void* index) {
  const int64_t place = best.place < 0 ? 0 : best.place;
  if (index_bytes == 4) {
    static_cast<int32_t*>(index)[at] = static_cast<int32_t>(place);
  } else {
    static_cast<int64_t*>(index)[at] = place;
  }
}

template <typename T, bool kMax, int kTeam>
__global__ void __launch_bounds__(kThreads)
    ArgRowsKernel(const T* __restrict__ x, int64_t rows, int64_t n,
                  int64_t index_bytes, void* __restrict__ index) {
  using Team = RowTeam<kTeam>;
  using C = Compute<T>;
  const MoreExtreme<C, kMax> better;
  for (int64_t r = Team::First(); r < rows; r += Team::Step()) {
    Placed<C> best{C(0), -1};
    for (int64_t i = Team::Member(); i < n; i += kTeam) {
      best = better(best, PlacedAt(Widen(x[r * n + i]), i));
    }
    best = Team::Reduce(best, Placed<C>{C(0), -1}, better);
    if (Team::Member() == 0) PutPlace(best, r, index_bytes, index);
  }
}

template <typename T, bool kMax>
__global__ void __launch_bounds__(kThreads)
    ArgColumnsKernel(const T* __restrict__ x, int64_t outer, int64_t n,
                     int64_t inner, int64_t index_bytes,
                     void* __restrict__ index) {
  using C = Compute<T>;
  const MoreExtreme<C, kMax> better;
  const int64_t columns = outer * inner;
  for (int64_t c = GridFirst<int64_t>(); c < columns;
       c += GridStep<int64_t>()) {
    const int64_t o = c / inner;
    const T* const column = x + o * n * inner + (c - o * inner);
    Placed<C> best{C(0), -1};
    for (int64_t i = 0; i < n; ++i) {
      best = better(best, PlacedAt(Widen(column[i * inner]), i));
    }
    PutPlace(best, c, index_bytes, index);
  }
}

}  // namespace
}  // namespace gpu

template <typename T, bool kMax>
Status GpuArg(CUstream_st* stream, const void* x, int64_t outer, int64_t n,
              int64_t inner, int64_t index_bytes, void* index) {
  const T* const in = static_cast<const T*>(x);
  if (inner == 1) {
    return gpu::LaunchRows(stream, outer, n,
                           gpu::ArgRowsKernel<T, kMax, gpu::kWarp>,
                           gpu::ArgRowsKernel<T, kMax, gpu::kThreads>, in,
                           outer, n, index_bytes, index);
  }
  return gpu::Launch(stream, gpu::Blocks(outer * inner), gpu::kThreads, 0,
                     gpu::ArgColumnsKernel<T, kMax>, in, outer, n, inner,
                     index_bytes, index);
}

#define TW_GPU_ARG(T)                                                          \
  template Status GpuArg<T, true>(CUstream_st*, const void*, int64_t, int64_t, \
                                  int64_t, int64_t, void*);                    \
  template Status GpuArg<T, false>(CUstream_st*, const void*, int64_t,         \
                                   int64_t, int64_t, int64_t, void*)
TW_GPU_ARG(gpu::Half);
TW_GPU_ARG(gpu::Bfloat16);
TW_GPU_ARG(float);
TW_GPU_ARG(double);
TW_GPU_ARG(int32_t);
TW_GPU_ARG(int64_t);

}  // namespace tensorwright
