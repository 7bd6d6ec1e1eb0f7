// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of one call of a kernel, addressed by name.
#include <initializer_list>

#include "core/framework/op_kernel.h"
#include "core/framework/op_kernel_context.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The position of an argument that is one tensor.
Status OnePosition(const OpKernel& kernel, absl::string_view name, bool input,
                   int* index) {
  int start, stop;
  TF_RETURN_IF_ERROR(input ? kernel.InputRange(name, &start, &stop)
                           : kernel.OutputRange(name, &start, &stop));
  if (stop != start + 1) {
    return errors::InvalidArgument(kernel.type_string(), ": '", name,
                                   "' is a list; ask for it with ",
                                   input ? "input_list" : "output_list");
  }
  *index = start;
  return OkStatus();
}

}  // namespace

// ---- Inputs ----------------------------------------------------------------

Status OpKernelContext::input_dtype(absl::string_view name,
                                    DataType* dtype) const {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, true, &index));
  *dtype = input_dtype(index);
  return OkStatus();
}

Status OpKernelContext::input(absl::string_view name,
                              const Tensor** tensor) const {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, true, &index));
  if (!has_input(index)) {
    return errors::InvalidArgument(op_kernel().type_string(), ": input '", name,
                                   "' has no value");
  }
  *tensor = &input(index);
  return OkStatus();
}

Status OpKernelContext::input_list(absl::string_view name,
                                   OpInputList* list) const {
  int start, stop;
  TF_RETURN_IF_ERROR(op_kernel().InputRange(name, &start, &stop));
  *list = OpInputList(const_cast<OpKernelContext*>(this), start, stop);
  return OkStatus();
}

Status OpKernelContext::input_ref_mutex(absl::string_view name,
                                        mutex** out_mutex) const {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, true, &index));
  *out_mutex = input_ref_mutex(index);
  return OkStatus();
}

Status OpKernelContext::mutable_input(absl::string_view name, Tensor* tensor,
                                      bool lock_held) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, true, &index));
  if (!input_is_ref(index)) {
    return errors::InvalidArgument(op_kernel().type_string(), ": input '", name,
                                   "' must be a reference");
  }
  *tensor = mutable_input(index, lock_held);
  return OkStatus();
}

Status OpKernelContext::mutable_input_list(absl::string_view name,
                                           OpMutableInputList* list) {
  int start, stop;
  TF_RETURN_IF_ERROR(op_kernel().InputRange(name, &start, &stop));
  *list = OpMutableInputList(this, start, stop);
  return OkStatus();
}

Status OpKernelContext::replace_ref_input(absl::string_view name,
                                          const Tensor& tensor,
                                          bool lock_held) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, true, &index));
  if (!input_is_ref(index)) {
    return errors::InvalidArgument(op_kernel().type_string(), ": input '", name,
                                   "' must be a reference");
  }
  replace_ref_input(index, tensor, lock_held);
  return OkStatus();
}

// ---- Outputs ---------------------------------------------------------------

Status OpKernelContext::allocate_output(absl::string_view name,
                                        const TensorShape& shape,
                                        Tensor** tensor) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, false, &index));
  return allocate_output(index, shape, tensor);
}

Status OpKernelContext::allocate_output(absl::string_view name,
                                        const TensorShape& shape,
                                        Tensor** tensor,
                                        AllocatorAttributes attr) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, false, &index));
  return allocate_output(index, shape, tensor, attr);
}

Status OpKernelContext::set_output(absl::string_view name,
                                   const Tensor& tensor) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, false, &index));
  set_output(index, tensor);
  return OkStatus();
}

Status OpKernelContext::set_output_ref(absl::string_view name, mutex* mu,
                                       Tensor* tensor_for_ref) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, false, &index));
  set_output_ref(index, mu, tensor_for_ref);
  return OkStatus();
}

Status OpKernelContext::output_list(absl::string_view name,
                                    OpOutputList* list) {
  int start, stop;
  TF_RETURN_IF_ERROR(op_kernel().OutputRange(name, &start, &stop));
  *list = OpOutputList(this, start, stop);
  return OkStatus();
}

Status OpKernelContext::mutable_output(absl::string_view name,
                                       Tensor** tensor) {
  int index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, false, &index));
  *tensor = mutable_output(index);
  return OkStatus();
}

// ---- Forwarding ------------------------------------------------------------

Status OpKernelContext::forward_input_to_output_with_shape(
    absl::string_view input_name, absl::string_view output_name,
    const TensorShape& shape, Tensor** output) {
  int input_index, output_index;
  TF_RETURN_IF_ERROR(OnePosition(op_kernel(), input_name, true, &input_index));
  TF_RETURN_IF_ERROR(
      OnePosition(op_kernel(), output_name, false, &output_index));
  if (!forward_input_to_output_with_shape(input_index, output_index, shape,
                                          output)) {
    return errors::FailedPrecondition(op_kernel().type_string(), ": input '",
                                      input_name,
                                      "' is needed by somebody else");
  }
  return OkStatus();
}

Status OpKernelContext::forward_input_or_allocate_output(
    std::initializer_list<absl::string_view> candidate_input_names,
    absl::string_view output_name, const TensorShape& shape, Tensor** output) {
  int output_index;
  TF_RETURN_IF_ERROR(
      OnePosition(op_kernel(), output_name, false, &output_index));
  for (absl::string_view name : candidate_input_names) {
    int input_index;
    TF_RETURN_IF_ERROR(OnePosition(op_kernel(), name, true, &input_index));
    if (forward_input_to_output_with_shape(input_index, output_index, shape,
                                           output)) {
      return OkStatus();
    }
  }
  return allocate_output(output_index, shape, output);
}

}  // namespace tensorwright
