// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/nn/lrn_op_gpu.h"

#include <cmath>

#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace {

using gpu::Narrow;
using gpu::Widen;

// The channels within the radius of channel `c`.
struct Range {
  int64_t first, last;
};
__device__ __forceinline__ Range Around(const GpuLrn& lrn, int64_t c) {
  const int64_t first = c - lrn.radius, last = c + lrn.radius + 1;
  return {first < 0 ? 0 : first, last > lrn.depth ? lrn.depth : last};
}

// bias + alpha * (the sum of squares around channel c of a pixel).
template <typename T>
__device__ __forceinline__ float NormOf(const GpuLrn& lrn, const T* pixel,
                                        int64_t c) {
  const Range around = Around(lrn, c);
  float sum = 0;
  for (int64_t d = around.first; d < around.last; ++d) {
    const float v = Widen(pixel[d]);
    sum += v * v;
  }
  return lrn.bias + lrn.alpha * sum;
}

template <typename T>
struct ForwardFn {
  GpuLrn lrn;
  const T* x;
  T* y;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const int64_t c = static_cast<int64_t>(i) % lrn.depth;
    const float norm = NormOf(lrn, x + (static_cast<int64_t>(i) - c), c);
    y[i] = Narrow<T>(Widen(x[i]) * std::pow(norm, -lrn.beta));
  }
};

// y = x n^-beta, so dx_j = g_j n_j^-beta - 2 alpha beta x_j * (the sum of
// g_i y_i / n_i over the i whose window holds j).
template <typename T>
struct GradFn {
  GpuLrn lrn;
  const T* dy;
  const T* x;
  const T* y;
  T* dx;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const int64_t c = static_cast<int64_t>(i) % lrn.depth;
    const int64_t pixel = static_cast<int64_t>(i) - c;
    const Range around = Around(lrn, c);
    float sum = 0;
    for (int64_t d = around.first; d < around.last; ++d) {
      sum += Widen(dy[pixel + d]) * Widen(y[pixel + d]) /
             NormOf(lrn, x + pixel, d);
    }
    const float power = std::pow(NormOf(lrn, x + pixel, c), -lrn.beta);
    dx[i] = Narrow<T>(Widen(dy[i]) * power -
                      2 * lrn.alpha * lrn.beta * Widen(x[i]) * sum);
  }
};

}  // namespace

template <typename T>
Status GpuLrnForward(CUstream_st* stream, const GpuLrn& lrn, const void* x,
                     void* y) {
  return gpu::ForEach(
      stream, lrn.pixels * lrn.depth,
      ForwardFn<T>{lrn, static_cast<const T*>(x), static_cast<T*>(y)});
}

template <typename T>
Status GpuLrnGrad(CUstream_st* stream, const GpuLrn& lrn, const void* dy,
                  const void* x, const void* y, void* dx) {
  return gpu::ForEach(
      stream, lrn.pixels * lrn.depth,
      GradFn<T>{lrn, static_cast<const T*>(dy), static_cast<const T*>(x),
                static_cast<const T*>(y), static_cast<T*>(dx)});
}

#define TW_LRN(T)                                                            \
  template Status GpuLrnForward<T>(CUstream_st*, const GpuLrn&, const void*, \
                                   void*);                                   \
  template Status GpuLrnGrad<T>(CUstream_st*, const GpuLrn&, const void*,    \
                                const void*, const void*, void*);
TW_LRN(gpu::Half)
TW_LRN(gpu::Bfloat16)
TW_LRN(float)
#undef TW_LRN

}  // namespace tensorwright
