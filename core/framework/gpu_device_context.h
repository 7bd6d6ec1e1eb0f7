// SPDX-License-Identifier: Apache-2.0
// The stream that a GPU device hands its kernels: the class of their
// DeviceContext.  Immutable; owned by the device and alive as long as that.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_GPU_DEVICE_CONTEXT_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_GPU_DEVICE_CONTEXT_H_

#include "core/framework/device_base.h"
#include "core/framework/op_kernel_context.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// The work of a kernel is enqueued on the stream; the device waits for it where
// the host needs results.  Does not own the stream.
class GpuDeviceContext : public DeviceContext {
 public:
  explicit GpuDeviceContext(CUstream_st* stream) : stream_(stream) {}
  CUstream_st* stream() const { return stream_; }

 private:
  CUstream_st* const stream_;
};

// The stream of the kernel that `ctx` belongs to, which runs on a GPU; CUDA's
// default stream if the device has no context.
inline CUstream_st* GpuStream(OpKernelContext* ctx) {
  auto* context = ctx->op_device_context<GpuDeviceContext>();
  return context == nullptr ? nullptr : context->stream();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_GPU_DEVICE_CONTEXT_H_
