// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/state/dense_update_ops_gpu.h"

#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace {

template <typename T>
struct UpdateFn {
  bool subtracts;
  const T* x;
  T* ref;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const gpu::Compute<T> change = gpu::Widen(x[i]);
    const gpu::Compute<T> old = gpu::Widen(ref[i]);
    ref[i] = gpu::Narrow<T>(subtracts ? old - change : old + change);
  }
};

}  // namespace

template <typename T>
Status GpuUpdate(CUstream_st* stream, bool subtracts, const void* x, int64_t n,
                 void* ref) {
  return gpu::ForEach(
      stream, n,
      UpdateFn<T>{subtracts, static_cast<const T*>(x), static_cast<T*>(ref)});
}

template Status GpuUpdate<gpu::Half>(CUstream_st*, bool, const void*, int64_t,
                                     void*);
template Status GpuUpdate<gpu::Bfloat16>(CUstream_st*, bool, const void*,
                                         int64_t, void*);
template Status GpuUpdate<float>(CUstream_st*, bool, const void*, int64_t,
                                 void*);
template Status GpuUpdate<double>(CUstream_st*, bool, const void*, int64_t,
                                  void*);
template Status GpuUpdate<int64_t>(CUstream_st*, bool, const void*, int64_t,
                                   void*);

}  // namespace tensorwright
