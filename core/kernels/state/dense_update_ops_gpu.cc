// SPDX-License-Identifier: Apache-2.0
// AssignAdd and AssignSub on a GPU, and copies of variables there.
#include "core/kernels/state/dense_update_ops_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/driver.h"

namespace tensorwright {

// Of core/kernels/lib/variables.cc; called when this library is loaded, before
// there are GPU devices.
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
class UpdateOnGpu : public OpKernel {
 public:
  explicit UpdateOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    // AssignAddVariableOp lacks this attr, and always locks.
    if (!ctx->HasAttr("use_locking")) return;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_locking_));
  }

  void Compute(OpKernelContext* ctx) override {
    if (IsRefType(input_type(0))) ctx->forward_ref_input_to_ref_output(0, 0);
    WritableVariables variables;
    OP_REQUIRES_OK(
        ctx, variables.Open(ctx, {0}, DataTypeToEnum<T>::v(), use_locking_));
    Tensor& ref = variables[0];
    const Tensor& value = ctx->input(1);
    OP_REQUIRES(ctx, ref.IsInitialized(),
                errors::FailedPrecondition(
                    "Attempting to use uninitialized parameters: ",
                    requested_input(0)));
    OP_REQUIRES(
        ctx, ref.IsSameSize(value),
        errors::InvalidArgument(
            type_string(), ": ref and value must have one shape, got ",
            ref.shape().DebugString(), " and ", value.shape().DebugString()));
    if (value.NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuUpdate<gpu::Storage<T>>(
                            GpuStream(ctx), kSubtracts, value.data(),
                            value.NumElements(), ref.data()));
  }

 private:
  bool use_locking_ = false;
};

template <typename T>
using AssignAddOnGpu = UpdateOnGpu<T, false>;
template <typename T>
using AssignSubOnGpu = UpdateOnGpu<T, true>;

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
