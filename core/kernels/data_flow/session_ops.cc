// SPDX-License-Identifier: Apache-2.0
// GetSessionHandle, GetSessionHandleV2, GetSessionTensor, DeleteSessionTensor.

#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor.h"
#include "core/util/session_state.h"

namespace tensorwright {
namespace {

class GetSessionHandleOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<SessionState> state;
    OP_REQUIRES_OK(ctx, SessionState::Find(ctx, &state));
    const std::string handle = state->NewHandle(name(), ctx->device()->name());
    OP_REQUIRES_OK(ctx, state->AddPending(ctx, name(), handle, ctx->input(0)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    if (out->dtype() == DT_RESOURCE) {
      *out->base<ResourceHandle>() =
          SessionState::AsResource(handle, ctx->device()->name());
    } else {
      *out->base<std::string>() = handle;
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("GetSessionHandle").Device(DEVICE_CPU),
                        GetSessionHandleOp);
REGISTER_KERNEL_BUILDER(Name("GetSessionHandleV2").Device(DEVICE_CPU),
                        GetSessionHandleOp);

// The handle, or null with the status set.
const std::string* HandleOf(OpKernelContext* ctx) {
  const Tensor& handle = ctx->input(0);
  if (handle.dims() == 0) return handle.base<std::string>();
  ctx->SetStatus(errors::InvalidArgument("handle must be a scalar, got shape ",
                                         handle.shape().DebugString()));
  return nullptr;
}

class GetSessionTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const std::string* handle = HandleOf(ctx);
    if (handle == nullptr) return;
    core::RefCountPtr<SessionState> state;
    OP_REQUIRES_OK(ctx, SessionState::Find(ctx, &state));
    Tensor kept;
    OP_REQUIRES_OK(ctx, state->GetTensor(*handle, &kept));
    OP_REQUIRES(ctx, kept.dtype() == output_type(0),
                errors::InvalidArgument(
                    "dtype must be that of the tensor with handle '", *handle,
                    "', ", DataTypeString(kept.dtype()), ", got ",
                    DataTypeString(output_type(0))));
    ctx->set_output(0, kept);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("GetSessionTensor").Device(DEVICE_CPU),
                        GetSessionTensorOp);

class DeleteSessionTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const std::string* handle = HandleOf(ctx);
    if (handle == nullptr) return;
    core::RefCountPtr<SessionState> state;
    OP_REQUIRES_OK(ctx, SessionState::Find(ctx, &state));
    OP_REQUIRES_OK(ctx, state->DeleteTensor(*handle));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("DeleteSessionTensor").Device(DEVICE_CPU),
                        DeleteSessionTensorOp);

}  // namespace
}  // namespace tensorwright
