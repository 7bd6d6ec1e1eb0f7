// SPDX-License-Identifier: Apache-2.0
// SymbolicGradient runs the function that is another one's gradient; ToBool,
// FakeParam and DeviceIndex are used to build branches and loops.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/device_base.h"
#include "core/framework/function.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/functional/call_function.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace {

class SymbolicGradientOp final : public AsyncOpKernel {
 public:
  explicit SymbolicGradientOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &function_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    FunctionLibraryRuntime* const runtime = ctx->function_library();
    OP_REQUIRES_ASYNC(
        ctx, runtime != nullptr,
        errors::Internal("SymbolicGradient: there is no function library"),
        done);
    FunctionLibraryRuntime::Handle handle = 0;
    OP_REQUIRES_OK_ASYNC(
        ctx, runtime->Instantiate(type_string(), AttrSlice(def()), &handle),
        done);
    FunctionLibraryRuntime::Signature signature;
    OP_REQUIRES_OK_ASYNC(ctx, runtime->GetSignature(handle, &signature), done);
    OP_REQUIRES_ASYNC(
        ctx, signature.rets == output_types(),
        errors::InvalidArgument(
            "SymbolicGradient: the gradient of '", function_.name(), "' gives ",
            DataTypeSliceString(signature.rets), ", Tout is ",
            DataTypeSliceString(output_types())),
        done);
    std::vector<Tensor> args;
    for (int i = 0; i < ctx->num_inputs(); ++i) args.push_back(ctx->input(i));
    FunctionLibraryRuntime::Options options;
    options.cancellation_manager = ctx->cancellation_manager();
    auto rets = std::make_shared<std::vector<Tensor>>();
    std::vector<Tensor>* const results = rets.get();
    runtime->Run(options, handle, args, results,
                 [ctx, rets, done = std::move(done)](const Status& status) {
                   ctx->SetStatus(status);
                   for (size_t i = 0; i < rets->size(); ++i) {
                     ctx->set_output(static_cast<int>(i),
                                     std::move((*rets)[i]));
                   }
                   done();
                 });
  }

 private:
  NameAttrList function_;
};
REGISTER_KERNEL_BUILDER(Name("SymbolicGradient").Device(DEVICE_CPU),
                        SymbolicGradientOp);

class ToBoolOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    bool value = false;
    OP_REQUIRES_OK(ctx, ToBool(ctx->input(0), &value));
    ctx->set_output(0, Tensor(value));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("ToBool").Device(DEVICE_CPU), ToBoolOp);

class FakeParamOp final : public OpKernel {
 public:
  explicit FakeParamOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape));
    for (int i = 0; i < shape.dims(); ++i) {
      const int64_t size = shape.dim_size(i);
      OP_REQUIRES_OK(ctx, shape_.AddDimWithStatus(size < 0 ? 0 : size));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape_, &out));
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          FillRun(T(), out->NumElements(), out->base<T>());
        }));
  }

 private:
  TensorShape shape_;
};
REGISTER_KERNEL_BUILDER(Name("FakeParam").Device(DEVICE_CPU), FakeParamOp);

class DeviceIndexOp final : public OpKernel {
 public:
  explicit DeviceIndexOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("device_names", &names_));
  }

  void Compute(OpKernelContext* ctx) override {
    DeviceNameUtils::ParsedName device;
    size_t index = names_.size();
    if (DeviceNameUtils::ParseFullName(ctx->device()->name(), &device)) {
      for (size_t i = names_.size(); i-- > 0;) {
        if (names_[i] == device.type) index = i;
      }
    }
    ctx->set_output(0, Tensor(static_cast<int32_t>(index)));
  }
  bool IsExpensive() override { return false; }

 private:
  std::vector<std::string> names_;
};
REGISTER_KERNEL_BUILDER(Name("DeviceIndex").Device(DEVICE_CPU), DeviceIndexOp);

}  // namespace
}  // namespace tensorwright
