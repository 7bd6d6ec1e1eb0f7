// SPDX-License-Identifier: Apache-2.0
// What kernels that call a function have: the function that an attr names.
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
  // gives `rets`; Internal without a function library; else what Instantiate
  // says.
  Status Init(OpKernelConstruction* ctx, const char* attr,
              const NameAttrList& function, DataTypeSlice args,
              DataTypeSlice rets);
  // The same of attr `attr`.
  Status Init(OpKernelConstruction* ctx, const char* attr, DataTypeSlice args,
              DataTypeSlice rets);
  // The same of a function that gives one tensor, for ToBool.
  Status InitPredicate(OpKernelConstruction* ctx, const char* attr,
                       DataTypeSlice args);

  // One call, for the kernel of `ctx`, whose cancellation it obeys.  As
  // FunctionLibraryRuntime::Run.
  void Run(OpKernelContext* ctx, absl::Span<const Tensor> args,
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

// What is said to be true of a tensor; see ToBool.  InvalidArgument, or
// Unimplemented, for a scalar of another kind.
Status ToBool(const Tensor& tensor, bool* value);

// Attr output_shapes, if the node has it.
Status OutputShapes(OpKernelConstruction* ctx,
                    std::vector<PartialTensorShape>* shapes);

// Makes `rets` the outputs.  InvalidArgument if they do not fit `shapes`, which
// may be empty: then any do.
Status SetOutputs(OpKernelContext* ctx,
                  const std::vector<PartialTensorShape>& shapes,
                  std::vector<Tensor>* rets);

// Calls `function` with the inputs from `first` on: its results are the
// outputs.  Calls `done` once, when that is so or the context has an error.
void CallWithInputs(OpKernelContext* ctx, const CalledFunction& function,
                    int first, const std::vector<PartialTensorShape>& shapes,
                    AsyncOpKernel::DoneCallback done);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_CALL_FUNCTION_H_
