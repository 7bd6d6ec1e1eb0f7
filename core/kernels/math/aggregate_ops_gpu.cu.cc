// SPDX-License-Identifier: Apache-2.0
// AddN on the device.

#include "core/kernels/math/aggregate_ops_gpu.h"

#include "core/kernels/lib/cwise_functors.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads)
    AddNKernel(GpuAddends addends, int64_t n, T* out) {
  using C = Compute<T>;
  const functor::Add<C> add;
  for (int64_t i = GridFirst<int64_t>(); i < n; i += GridStep<int64_t>()) {
    C sum = Widen(static_cast<const T*>(addends.in[0])[i]);
    for (int k = 1; k < addends.count; ++k) {
      sum = add(sum, Widen(static_cast<const T*>(addends.in[k])[i]));
    }
    out[i] = Narrow<T>(sum);
  }
}

}  // namespace
}  // namespace gpu

template <typename T>
Status GpuAddN(CUstream_st* stream, const GpuAddends& addends, int64_t n,
               void* out) {
  return gpu::Launch(stream, gpu::Blocks(n), gpu::kThreads, 0,
                     gpu::AddNKernel<T>, addends, n, static_cast<T*>(out));
}

#define TW_GPU_ADD_N(T) \
  template Status GpuAddN<T>(CUstream_st*, const GpuAddends&, int64_t, void*)
TW_GPU_ADD_N(gpu::Half);
TW_GPU_ADD_N(gpu::Bfloat16);
TW_GPU_ADD_N(float);
TW_GPU_ADD_N(double);
TW_GPU_ADD_N(int64_t);

}  // namespace tensorwright
