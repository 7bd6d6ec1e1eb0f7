// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/nn/fused_batch_norm_op_gpu.h"

#include <cmath>
#include <limits>

#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace {

using gpu::Narrow;
using gpu::Widen;

// A block sums kThreads / cols rows of `cols` channels at a time.  Channels
// that lie together are read by threads side by side.
constexpr int kColumns = 32;

int ColumnsOf(const GpuBatchNorm& norm) {
  return norm.inner == 1 ? kColumns : 1;
}
unsigned BlocksOf(const GpuBatchNorm& norm) {
  const int cols = ColumnsOf(norm);
  return static_cast<unsigned>((norm.channels + cols - 1) / cols);
}

__device__ __forceinline__ int64_t ElementAt(const GpuBatchNorm& norm,
                                             int64_t i, int64_t channel) {
  const int64_t outer = i / norm.inner;
  return (outer * norm.channels + channel) * norm.inner + i % norm.inner;
}

// Calls add(element, &sum_a, &sum_b) for the elements of this thread's channel,
// and sums both over the block; the threads of row 0 call done(channel, a, b).
template <class Add, class Done>
__device__ void SumChannels(const GpuBatchNorm& norm, int cols, const Add& add,
                            const Done& done) {
  GPU_SHARED(double, sums_a, gpu::kThreads);
  GPU_SHARED(double, sums_b, gpu::kThreads);
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = gpu::kThreads / cols;
  const int row = thread / cols;
  const int64_t channel =
      static_cast<int64_t>(blockIdx.x) * cols + thread % cols;
  const int64_t count = norm.outer * norm.inner;
  double a = 0, b = 0;
  if (channel < norm.channels) {
    for (int64_t i = row; i < count; i += rows) {
      add(channel, ElementAt(norm, i, channel), &a, &b);
    }
  }
  sums_a[thread] = a;
  sums_b[thread] = b;
  __syncthreads();
  for (int half = rows / 2; half > 0; half /= 2) {
    if (row < half) {
      sums_a[thread] += sums_a[thread + half * cols];
      sums_b[thread] += sums_b[thread + half * cols];
    }
    __syncthreads();
  }
  if (row == 0 && channel < norm.channels) {
    done(channel, sums_a[thread], sums_b[thread]);
  }
}

// The sums are those of differences from the channel's first element, so that a
// large mean does not cost a small variance its digits.
template <typename T>
__global__ void __launch_bounds__(gpu::kThreads)
    MomentsKernel(GpuBatchNorm norm, int cols, const T* x,
                  GpuBatchNormStatistics s) {
  const double count = static_cast<double>(norm.outer * norm.inner);
  const auto first = [&](int64_t channel) {
    return count == 0
               ? 0.0
               : static_cast<double>(Widen(x[ElementAt(norm, 0, channel)]));
  };
  SumChannels(
      norm, cols,
      [&](int64_t channel, int64_t at, double* a, double* b) {
        const double difference =
            static_cast<double>(Widen(x[at])) - first(channel);
        *a += difference;
        *b += difference * difference;
      },
      [&](int64_t channel, double a, double b) {
        double mean = first(channel) + a / count;
        double variance = (b - a * (a / count)) / count;
        if (variance < 0) variance = 0;
        if (count == 0) {
          mean = variance = std::numeric_limits<double>::quiet_NaN();
        }
        s.mean[channel] = static_cast<float>(mean);
        s.variance[channel] = static_cast<float>(variance);
        const double others = count > 1 ? count - 1 : 1;
        double running = mean, spread = variance * (count / others);
        if (count == 0) spread = mean;
        if (s.old_mean != nullptr && count > 0) {
          const double old = 1.0 - static_cast<double>(norm.factor);
          running = old * s.old_mean[channel] + norm.factor * running;
          spread = old * s.old_variance[channel] + norm.factor * spread;
        }
        s.running_mean[channel] = static_cast<float>(running);
        s.running_variance[channel] = static_cast<float>(spread);
      });
}

__device__ __forceinline__ float InverseOf(const GpuBatchNorm& norm,
                                           float variance) {
  return 1.0f / std::sqrt(variance + norm.epsilon);
}

template <typename T>
struct NormalizeFn {
  GpuBatchNorm norm;
  const T* x;
  const float* mean;
  const float* variance;
  const float* scale;
  const float* offset;
  T* y;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const int64_t c = static_cast<int64_t>(i) / norm.inner % norm.channels;
    const float factor = scale[c] * InverseOf(norm, variance[c]);
    y[i] = Narrow<T>((Widen(x[i]) - mean[c]) * factor + offset[c]);
  }
};

template <typename T>
__global__ void __launch_bounds__(gpu::kThreads)
    GradSumsKernel(GpuBatchNorm norm, int cols, const T* dy, const T* x,
                   const float* mean, const float* variance, float* dscale,
                   float* doffset) {
  SumChannels(
      norm, cols,
      [&](int64_t channel, int64_t at, double* a, double* b) {
        const double d = static_cast<double>(Widen(dy[at]));
        *a += d;
        *b += d * static_cast<double>(Widen(x[at]) - mean[channel]);
      },
      [&](int64_t channel, double a, double b) {
        doffset[channel] = static_cast<float>(a);
        dscale[channel] =
            static_cast<float>(b * InverseOf(norm, variance[channel]));
      });
}

template <typename T>
struct GradFn {
  GpuBatchNorm norm;
  bool training;
  const T* dy;
  const T* x;
  const float* scale;
  const float* mean;
  const float* variance;
  const float* dscale;
  const float* doffset;
  T* dx;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const int64_t c = static_cast<int64_t>(i) / norm.inner % norm.channels;
    const float inverse = InverseOf(norm, variance[c]);
    float d = Widen(dy[i]);
    // In training the gradient loses the projection of dy on a constant and on
    // x - mean.
    if (training) {
      const float count = static_cast<float>(norm.outer * norm.inner);
      d -= doffset[c] / count +
           (Widen(x[i]) - mean[c]) * (dscale[c] * inverse / count);
    }
    dx[i] = Narrow<T>(d * scale[c] * inverse);
  }
};

int64_t ElementsOf(const GpuBatchNorm& norm) {
  return norm.outer * norm.channels * norm.inner;
}

}  // namespace

template <typename T>
Status GpuMoments(CUstream_st* stream, const GpuBatchNorm& norm, const void* x,
                  const GpuBatchNormStatistics& statistics) {
  return gpu::Launch(stream, BlocksOf(norm), gpu::kThreads, 0, MomentsKernel<T>,
                     norm, ColumnsOf(norm), static_cast<const T*>(x),
                     statistics);
}

template <typename T>
Status GpuNormalize(CUstream_st* stream, const GpuBatchNorm& norm,
                    const void* x, const float* mean, const float* variance,
                    const float* scale, const float* offset, void* y) {
  return gpu::ForEach(
      stream, ElementsOf(norm),
      NormalizeFn<T>{norm, static_cast<const T*>(x), mean, variance, scale,
                     offset, static_cast<T*>(y)});
}

template <typename T>
Status GpuBatchNormGrad(CUstream_st* stream, const GpuBatchNorm& norm,
                        bool training, const void* dy, const void* x,
                        const float* scale, const float* mean,
                        const float* variance, void* dx, float* dscale,
                        float* doffset) {
  const auto* in = static_cast<const T*>(x);
  const auto* grad = static_cast<const T*>(dy);
  TF_RETURN_IF_ERROR(gpu::Launch(stream, BlocksOf(norm), gpu::kThreads, 0,
                                 GradSumsKernel<T>, norm, ColumnsOf(norm), grad,
                                 in, mean, variance, dscale, doffset));
  return gpu::ForEach(stream, ElementsOf(norm),
                      GradFn<T>{norm, training, grad, in, scale, mean, variance,
                                dscale, doffset, static_cast<T*>(dx)});
}

#define TW_BATCH_NORM(T)                                                     \
  template Status GpuMoments<T>(CUstream_st*, const GpuBatchNorm&,           \
                                const void*, const GpuBatchNormStatistics&); \
  template Status GpuNormalize<T>(CUstream_st*, const GpuBatchNorm&,         \
                                  const void*, const float*, const float*,   \
                                  const float*, const float*, void*);        \
  template Status GpuBatchNormGrad<T>(                                       \
      CUstream_st*, const GpuBatchNorm&, bool, const void*, const void*,     \
      const float*, const float*, const float*, void*, float*, float*);
TW_BATCH_NORM(gpu::Half)
TW_BATCH_NORM(gpu::Bfloat16)
TW_BATCH_NORM(float)
#undef TW_BATCH_NORM

}  // namespace tensorwright
