// SPDX-License-Identifier: Apache-2.0
// The life of TensorArrays, for all three kinds of handle: kernels that make an
// array or the array of its gradients, tell its size, and close it.

#include <atomic>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/kernels/data_flow/tensor_array.h"
#include "core/kernels/data_flow/tensor_array_ops_handle.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

Status SetHandle(OpKernelContext* ctx, TensorArray* array) {
  const DataType type = ctx->op_kernel().output_type(0);
  if (IsRefType(type)) {
    ctx->set_output_ref(0, array->handle_mu(), array->handle());
    return OkStatus();
  }
  if (type == DT_STRING) {
    ctx->set_output(0, *array->handle());
    return OkStatus();
  }
  Tensor* handle = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape(), &handle));
  handle->scalar_value<ResourceHandle>() =
      MakePerStepResourceHandle<TensorArray>(ctx, array->name());
  return OkStatus();
}

// The third generation gives a flow beside the handle.
Status SetFlow(OpKernelContext* ctx, float value) {
  if (ctx->num_outputs() < 2) return OkStatus();
  Tensor* flow = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape(), &flow));
  flow->scalar_value<float>() = value;
  return OkStatus();
}

class TensorArrayOp final : public OpKernel {
 public:
  explicit TensorArrayOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &options_.dtype));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_shape", &options_.element_shape));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dynamic_size", &options_.dynamic_size));
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("clear_after_read", &options_.clear_after_read));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("tensor_array_name", &name_));
    if (ctx->HasAttr("identical_element_shapes")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("identical_element_shapes",
                                       &options_.identical_element_shapes));
    }
    if (name_.empty()) name_ = name();
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, ctx->step_container() != nullptr,
                errors::Internal("TensorArray: the run has no container"));
    const Tensor& size = ctx->input(0);
    OP_REQUIRES(ctx, size.NumElements() == 1,
                errors::InvalidArgument(type_string(),
                                        ": size must be a scalar, got shape ",
                                        size.shape().DebugString()));
    const int32_t n = *size.base<int32_t>();
    OP_REQUIRES(
        ctx, n >= 0,
        errors::InvalidArgument(type_string(), ": size must be >= 0, got ", n));
    // Each element takes about a hundred bytes before anything is written.
    OP_REQUIRES(ctx, n <= kMaxInitialSize,
                errors::ResourceExhausted(type_string(), ": size ", n,
                                          " is more than ", kMaxInitialSize));
    static std::atomic<int64_t> counter{0};
    const std::string unique = absl::StrCat(name_, "_", counter.fetch_add(1));
    TensorArrayPtr array(new TensorArray(unique, options_, n));
    array->Ref();  // The container's reference.
    OP_REQUIRES_OK(
        ctx, ctx->resource_manager()->Create(ctx->step_container()->name(),
                                             unique, array.get()));
    OP_REQUIRES_OK(ctx, SetHandle(ctx, array.get()));
    OP_REQUIRES_OK(ctx, SetFlow(ctx, 0));
  }
  bool IsExpensive() override { return false; }

 private:
  static constexpr int32_t kMaxInitialSize = 1 << 26;

  TensorArrayOptions options_;
  std::string name_;
};
REGISTER_KERNEL_BUILDER(Name("TensorArray").Device(DEVICE_CPU), TensorArrayOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayV2").Device(DEVICE_CPU),
                        TensorArrayOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayV3").Device(DEVICE_CPU),
                        TensorArrayOp);

class TensorArrayGradOp final : public OpKernel {
 public:
  explicit TensorArrayGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("source", &source_));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorArrayPtr forward;
    OP_REQUIRES_OK(ctx, FindTensorArray(ctx, &forward));
    const std::string name = absl::StrCat(forward->name(), "@", source_);
    TensorArray* found = nullptr;
    OP_REQUIRES_OK(ctx, ctx->resource_manager()->LookupOrCreate<TensorArray>(
                            ctx->step_container()->name(), name, &found,
                            [&](TensorArray** gradient) -> Status {
                              TensorArrayOptions options;
                              int64_t size = 0;
                              TF_RETURN_IF_ERROR(
                                  forward->PrepareGradient(&options, &size));
                              *gradient = new TensorArray(name, options, size);
                              return OkStatus();
                            }));
    TensorArrayPtr gradient(found);
    OP_REQUIRES_OK(ctx, gradient->TakeShapes(forward.get()));
    OP_REQUIRES_OK(ctx, SetHandle(ctx, gradient.get()));
    OP_REQUIRES_OK(ctx, SetFlow(ctx, 0));
  }
  bool IsExpensive() override { return false; }

 private:
  std::string source_;
};
REGISTER_KERNEL_BUILDER(Name("TensorArrayGrad").Device(DEVICE_CPU),
                        TensorArrayGradOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGradV2").Device(DEVICE_CPU),
                        TensorArrayGradOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGradV3").Device(DEVICE_CPU),
                        TensorArrayGradOp);

class TensorArraySizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TensorArrayPtr array;
    OP_REQUIRES_OK(ctx, FindTensorArray(ctx, &array));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    OP_REQUIRES_OK(ctx, array->Size(&size->scalar_value<int32_t>()));
  }
  bool IsExpensive() override { return false; }
};

// The resource itself is destroyed with the run: its handle may still be
// referred to.
class TensorArrayCloseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TensorArrayPtr array;
    OP_REQUIRES_OK(ctx, FindTensorArray(ctx, &array));
    array->Close();
  }
  bool IsExpensive() override { return false; }
};

REGISTER_KERNEL_BUILDER(Name("TensorArraySize").Device(DEVICE_CPU),
                        TensorArraySizeOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySizeV2").Device(DEVICE_CPU),
                        TensorArraySizeOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySizeV3").Device(DEVICE_CPU),
                        TensorArraySizeOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayClose").Device(DEVICE_CPU),
                        TensorArrayCloseOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayCloseV2").Device(DEVICE_CPU),
                        TensorArrayCloseOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayCloseV3").Device(DEVICE_CPU),
                        TensorArrayCloseOp);

}  // namespace
}  // namespace tensorwright
