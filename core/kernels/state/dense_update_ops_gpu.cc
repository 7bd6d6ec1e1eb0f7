// SPDX-License-Identifier: Apache-2.0
// AssignAdd and AssignSub on a GPU, and copies of variables there.
#include "core/kernels/state/dense_update_ops_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/state/dense_update_ops_kernel.h"
#include "core/lib/gpu/driver.h"

namespace tensorwright {

// core/kernels/lib/variables.cc defines it.  It is called when this library is
// loaded, before there are GPU devices.
void OfferDeviceCopy(Status (*copy)(OpKernelContext* ctx, const void* from,
                                    size_t bytes, void* to));

namespace {

Status CopyOnGpu(OpKernelContext* ctx, const void* from, size_t bytes,
                 void* to) {
  if (bytes == 0) return OkStatus();
  return gpu::Current()->CopyOnDevice(GpuStream(ctx), to, from, bytes);
}

[[maybe_unused]] const bool copy_is_offered =
    (OfferDeviceCopy(&CopyOnGpu), true);

template <typename T, bool kSubtracts>
struct UpdateOnGpu {
  static void Run(OpKernelContext* ctx, const Tensor& value, Tensor* ref) {
    if (value.NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuUpdate<gpu::Storage<T>>(
                            GpuStream(ctx), kSubtracts, value.data(),
                            value.NumElements(), ref->data()));
  }
};

template <typename T>
using AssignAddOnGpu = DenseUpdateOp<T, UpdateOnGpu<T, false>>;
template <typename T>
using AssignSubOnGpu = DenseUpdateOp<T, UpdateOnGpu<T, true>>;

#define TW_UPDATE_ON_GPU(builder, type, kernel)                          \
  REGISTER_KERNEL_FOR_TYPES(builder.Device(DEVICE_GPU), type, kernel,    \
                            Eigen::half, Eigen::bfloat16, float, double, \
                            int64_t)
TW_UPDATE_ON_GPU(Name("AssignAdd"), "T", AssignAddOnGpu);
TW_UPDATE_ON_GPU(Name("AssignSub"), "T", AssignSubOnGpu);
TW_UPDATE_ON_GPU(Name("AssignAddVariableOp").HostMemory("resource"), "dtype",
                 AssignAddOnGpu);
TW_UPDATE_ON_GPU(Name("AssignSubVariableOp").HostMemory("resource"), "dtype",
                 AssignSubOnGpu);
#undef TW_UPDATE_ON_GPU

}  // namespace
}  // namespace tensorwright
