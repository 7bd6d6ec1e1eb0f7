// SPDX-License-Identifier: Apache-2.0
// Random numbers on the device.  A thread makes a group at a time, those of one
// call of the distribution; each group has its own place in the stream, as on a
// CPU.

#include "core/kernels/random/random_op_gpu.h"

#include "core/lib/gpu/launch.h"
#include "core/lib/random/random_distributions.h"

namespace tensorwright {
namespace gpu {
namespace {

using random::PhiloxRandom;
using Single = random::SingleSampleAdapter<PhiloxRandom>;

// As kReservedSamplesPerOutput of the CPU's random_fill.h, which nvcc need not
// read.
constexpr int kReservedSamples = 256;

template <class Distribution, typename T>
__global__ void __launch_bounds__(kThreads)
    FillKernel(PhiloxRandom generator, Distribution given, int64_t n, T* out) {
  constexpr int kGroup = Distribution::kResultElementCount;
  const int64_t groups = (n + kGroup - 1) / kGroup;
  for (int64_t g = GridFirst<int64_t>(); g < groups; g += GridStep<int64_t>()) {
    Distribution distribution = given;
    PhiloxRandom own = generator;
    typename Distribution::ResultType samples;
    if constexpr (Distribution::kVariableSamplesPerOutput) {
      own.Skip(g *
               (kGroup * kReservedSamples / PhiloxRandom::kResultElementCount));
      Single single(&own);
      samples = distribution(&single);
    } else {
      own.Skip(g);
      samples = distribution(&own);
    }
    for (int i = 0; i < kGroup; ++i) {
      if (g * kGroup + i < n) out[g * kGroup + i] = samples[i];
    }
  }
}

template <class Distribution, typename T>
Status Fill(CUstream_st* stream, const PhiloxRandom& generator,
            const Distribution& distribution, int64_t n, void* out) {
  constexpr int kGroup = Distribution::kResultElementCount;
  return Launch(stream, Blocks((n + kGroup - 1) / kGroup), kThreads, 0,
                FillKernel<Distribution, T>, generator, distribution, n,
                static_cast<T*>(out));
}

}  // namespace
}  // namespace gpu

template <typename T>
Status GpuFillRandom(CUstream_st* stream, GpuDistribution distribution,
                     const random::PhiloxRandom& generator, int64_t n,
                     void* out) {
  using Uniform = random::UniformDistribution<random::PhiloxRandom, T>;
  using Normal = random::NormalDistribution<random::PhiloxRandom, T>;
  using Truncated = random::TruncatedNormalDistribution<gpu::Single, T>;
  switch (distribution) {
    case GpuDistribution::kUniform:
      return gpu::Fill<Uniform, T>(stream, generator, Uniform(), n, out);
    case GpuDistribution::kNormal:
      return gpu::Fill<Normal, T>(stream, generator, Normal(), n, out);
    default:
      return gpu::Fill<Truncated, T>(stream, generator, Truncated(), n, out);
  }
}

template <typename T>
Status GpuFillRandomInt(CUstream_st* stream,
                        const random::PhiloxRandom& generator, T lo, T hi,
                        int64_t n, void* out) {
  using Uniform = random::UniformDistribution<random::PhiloxRandom, T>;
  return gpu::Fill<Uniform, T>(stream, generator, Uniform(lo, hi), n, out);
}

#define TW_GPU_RANDOM(T)                                                 \
  template Status GpuFillRandom<T>(CUstream_st*, GpuDistribution,        \
                                   const random::PhiloxRandom&, int64_t, \
                                   void*)
TW_GPU_RANDOM(Eigen::half);
TW_GPU_RANDOM(Eigen::bfloat16);
TW_GPU_RANDOM(float);
TW_GPU_RANDOM(double);
template Status GpuFillRandomInt<int32_t>(CUstream_st*,
                                          const random::PhiloxRandom&, int32_t,
                                          int32_t, int64_t, void*);
template Status GpuFillRandomInt<int64_t>(CUstream_st*,
                                          const random::PhiloxRandom&, int64_t,
                                          int64_t, int64_t, void*);

}  // namespace tensorwright
