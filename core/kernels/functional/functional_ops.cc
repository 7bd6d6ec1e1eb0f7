// SPDX-License-Identifier: Apache-2.0
// SymbolicGradient: runs the function that is another one's gradient.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/framework/op_kernel.h"

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
    const std::string gradient =
        runtime->GetFunctionLibraryDefinition()->FindGradient(function_.name());
    OP_REQUIRES_ASYNC(
        ctx, !gradient.empty(),
        errors::NotFound("SymbolicGradient: the graph's library names no "
                         "gradient of function '",
                         function_.name(), "'"),
        done);
    FunctionLibraryRuntime::Handle handle = 0;
    OP_REQUIRES_OK_ASYNC(
        ctx,
        runtime->Instantiate(gradient, AttrSlice(&function_.attr()), &handle),
        done);
    FunctionLibraryRuntime::Signature signature;
    OP_REQUIRES_OK_ASYNC(ctx, runtime->GetSignature(handle, &signature), done);
    OP_REQUIRES_ASYNC(
        ctx, signature.rets == output_types(),
        errors::InvalidArgument(
            "SymbolicGradient: gradient '", gradient, "' of function '",
            function_.name(), "' gives ", DataTypeSliceString(signature.rets),
            ", Tout is ", DataTypeSliceString(output_types())),
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

}  // namespace
}  // namespace tensorwright
