// SPDX-License-Identifier: Apache-2.0
// Calls functions that attrs name, for kernels.
#include "core/kernels/functional/call_function.h"

#include <memory>
#include <string>
#include <utility>

#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

template <typename T>
bool IsNotZero(const Tensor& tensor) {
  return *tensor.base<T>() != T(0);
}

}  // namespace

Status CalledFunction::Instantiate(
    OpKernelConstruction* ctx, const char* attr, const NameAttrList& function,
    DataTypeSlice args, FunctionLibraryRuntime::Signature* signature) {
  const std::string& op = ctx->def().op();
  library_ = ctx->function_library();
  if (library_ == nullptr) {
    return errors::Internal(op, ": there is no function library");
  }
  TF_RETURN_IF_ERROR(library_->Instantiate(
      function.name(), AttrSlice(&function.attr()), &handle_));
  TF_RETURN_IF_ERROR(library_->GetSignature(handle_, signature));
  if (DataTypeSlice(signature->args) == args) return OkStatus();
  return errors::InvalidArgument(
      op, ": ", attr, ", function '", function.name(), "', takes ",
      DataTypeSliceString(signature->args), ", the node passes ",
      DataTypeSliceString(args));
}

Status CalledFunction::Init(OpKernelConstruction* ctx, const char* attr,
                            const NameAttrList& function, DataTypeSlice args,
                            DataTypeSlice rets) {
  FunctionLibraryRuntime::Signature signature;
  TF_RETURN_IF_ERROR(Instantiate(ctx, attr, function, args, &signature));
  if (DataTypeSlice(signature.rets) == rets) return OkStatus();
  return errors::InvalidArgument(
      ctx->def().op(), ": ", attr, ", function '", function.name(), "', gives ",
      DataTypeSliceString(signature.rets), ", the node's outputs are ",
      DataTypeSliceString(rets));
}

Status CalledFunction::Init(OpKernelConstruction* ctx, const char* attr,
                            DataTypeSlice args, DataTypeSlice rets) {
  NameAttrList function;
  TF_RETURN_IF_ERROR(ctx->GetAttr(attr, &function));
  return Init(ctx, attr, function, args, rets);
}

Status CalledFunction::InitPredicate(OpKernelConstruction* ctx,
                                     const char* attr, DataTypeSlice args) {
  NameAttrList function;
  TF_RETURN_IF_ERROR(ctx->GetAttr(attr, &function));
  FunctionLibraryRuntime::Signature signature;
  TF_RETURN_IF_ERROR(Instantiate(ctx, attr, function, args, &signature));
  if (signature.rets.size() == 1) return OkStatus();
  return errors::InvalidArgument(ctx->def().op(), ": ", attr, ", function '",
                                 function.name(),
                                 "', must give one tensor, it gives ",
                                 DataTypeSliceString(signature.rets));
}

void CalledFunction::Run(OpKernelContext* ctx, absl::Span<const Tensor> args,
                         std::vector<Tensor>* rets,
                         FunctionLibraryRuntime::DoneCallback done) const {
  Run(ctx->cancellation_manager(), args, rets, std::move(done));
}

void CalledFunction::Run(CancellationManager* cancellation,
                         absl::Span<const Tensor> args,
                         std::vector<Tensor>* rets,
                         FunctionLibraryRuntime::DoneCallback done) const {
  FunctionLibraryRuntime::Options options;
  options.cancellation_manager = cancellation;
  library_->Run(options, handle_, args, rets, std::move(done));
}

std::vector<Tensor> InputsFrom(OpKernelContext* ctx, int first) {
  std::vector<Tensor> inputs;
  inputs.reserve(ctx->num_inputs() - first);
  for (int i = first; i < ctx->num_inputs(); ++i) {
    inputs.push_back(ctx->input(i));
  }
  return inputs;
}

Status ToBool(const Tensor& tensor, bool* value) {
  if (tensor.dims() > 0) {
    *value = tensor.NumElements() > 0;
    return OkStatus();
  }
  switch (tensor.dtype()) {
    case DT_BOOL:
      *value = *tensor.base<bool>();
      return OkStatus();
    case DT_STRING:
      *value = !tensor.base<std::string>()->empty();
      return OkStatus();
    case DT_FLOAT:
      *value = IsNotZero<float>(tensor);
      return OkStatus();
    case DT_DOUBLE:
      *value = IsNotZero<double>(tensor);
      return OkStatus();
    case DT_INT64:
      *value = IsNotZero<int64_t>(tensor);
      return OkStatus();
    case DT_INT32:
      *value = IsNotZero<int32_t>(tensor);
      return OkStatus();
    case DT_INT16:
      *value = IsNotZero<int16_t>(tensor);
      return OkStatus();
    case DT_INT8:
      *value = IsNotZero<int8_t>(tensor);
      return OkStatus();
    case DT_UINT8:
      *value = IsNotZero<uint8_t>(tensor);
      return OkStatus();
    default:
      return errors::InvalidArgument(DataTypeString(tensor.dtype()),
                                     " cannot be converted to bool");
  }
}

Status OutputShapes(OpKernelConstruction* ctx,
                    std::vector<PartialTensorShape>* shapes) {
  if (!ctx->HasAttr("output_shapes")) return OkStatus();
  return ctx->GetAttr("output_shapes", shapes);
}

Status SetOutputs(OpKernelContext* ctx,
                  const std::vector<PartialTensorShape>& shapes,
                  std::vector<Tensor>* rets) {
  for (size_t i = 0; i < rets->size(); ++i) {
    Tensor& value = (*rets)[i];
    if (i < shapes.size() && !shapes[i].IsCompatibleWith(value.shape())) {
      return errors::InvalidArgument(
          ctx->op_kernel().type_string(), ": output ", i, " has shape ",
          value.shape().DebugString(), ", output_shapes says ",
          shapes[i].DebugString());
    }
    ctx->set_output(static_cast<int>(i), std::move(value));
  }
  return OkStatus();
}

void CallWithInputs(OpKernelContext* ctx, const CalledFunction& function,
                    int first, const std::vector<PartialTensorShape>& shapes,
                    AsyncOpKernel::DoneCallback done) {
  auto rets = std::make_shared<std::vector<Tensor>>();
  std::vector<Tensor>* const results = rets.get();
  function.Run(ctx, InputsFrom(ctx, first), results,
               [ctx, &shapes, rets, done = std::move(done)](Status status) {
                 if (status.ok()) status = SetOutputs(ctx, shapes, rets.get());
                 ctx->SetStatus(status);
                 done();
               });
}

}  // namespace tensorwright
