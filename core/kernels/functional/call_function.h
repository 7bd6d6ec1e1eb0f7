// SPDX-License-Identifier: Apache-2.0
// The function that an attr names, for kernels that call it.
//
// Threads: made with the kernel and not changed.  Ownership: it refers to the
// session's function library, which outlives kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_CALL_FUNCTION_H_
#define TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_CALL_FUNCTION_H_

#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"

namespace tensorwright {

class CalledFunction {
 public:
  // InvalidArgument, naming op and attr, unless `function` takes `args` and
  // gives `rets`; Internal without a function library; otherwise the errors of
  // Instantiate.
  Status Init(OpKernelConstruction* ctx, const char* attr,
              const NameAttrList& function, DataTypeSlice args,
              DataTypeSlice rets);
  // The same for attr `attr`.
  Status Init(OpKernelConstruction* ctx, const char* attr, DataTypeSlice args,
              DataTypeSlice rets);
  // The same for a function that gives one tensor, for ToBool.
  Status InitPredicate(OpKernelConstruction* ctx, const char* attr,
                       DataTypeSlice args);

  // Makes one call, for the kernel of `ctx`, whose cancellation it obeys.  See
  // FunctionLibraryRuntime::Run.
  void Run(OpKernelContext* ctx, absl::Span<const Tensor> args,
           std::vector<Tensor>* rets,
           FunctionLibraryRuntime::DoneCallback done) const;
  // The same for a call that `cancellation`, if not null, cancels.
  void Run(CancellationManager* cancellation, absl::Span<const Tensor> args,
           std::vector<Tensor>* rets,
           FunctionLibraryRuntime::DoneCallback done) const;

 private:
  Status Instantiate(OpKernelConstruction* ctx, const char* attr,
                     const NameAttrList& function, DataTypeSlice args,
                     FunctionLibraryRuntime::Signature* signature);

  FunctionLibraryRuntime* library_ = nullptr;
  FunctionLibraryRuntime::Handle handle_ = 0;
};

// Inputs [first, last) of a kernel.
std::vector<Tensor> InputsFrom(OpKernelContext* ctx, int first);

// The truth value of a tensor; see ToBool.  InvalidArgument, or Unimplemented,
// for a scalar of another kind.
Status ToBool(const Tensor& tensor, bool* value);

// Reads attr output_shapes, if the node has it.
Status OutputShapes(OpKernelConstruction* ctx,
                    std::vector<PartialTensorShape>* shapes);

// Makes `rets` the outputs.  InvalidArgument if they do not fit `shapes`, which
// may be empty: then any shapes will do.
Status SetOutputs(OpKernelContext* ctx,
                  const std::vector<PartialTensorShape>& shapes,
                  std::vector<Tensor>* rets);

// Calls `function` with the inputs from `first` on: its results are the
// outputs.  Calls `done` once, when they are set or the context has an error.
void CallWithInputs(OpKernelContext* ctx, const CalledFunction& function,
                    int first, const std::vector<PartialTensorShape>& shapes,
                    AsyncOpKernel::DoneCallback done);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_CALL_FUNCTION_H_
