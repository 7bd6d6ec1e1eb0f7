// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of one call of a kernel, by position (by name:
// op_kernel_context_by_name.cc).
#include "core/framework/op_kernel_context.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {

// ---- Inputs ----------------------------------------------------------------

DataType OpKernelContext::input_dtype(int index) const {
  const TensorValue& value = params_->inputs[index];
  if (value.tensor == nullptr) return params_->op_kernel->input_type(index);
  const DataType dtype = value.tensor->dtype();
  return value.is_ref() ? MakeRefType(dtype) : dtype;
}

MemoryType OpKernelContext::input_memory_type(int index) const {
  return op_kernel().input_memory_types()[index];
}

MemoryType OpKernelContext::output_memory_type(int index) const {
  return op_kernel().output_memory_types()[index];
}

DataType OpKernelContext::expected_output_dtype(int index) const {
  return op_kernel().output_type(index);
}

Tensor OpKernelContext::mutable_input(int index, bool lock_held) {
  const TensorValue& value = params_->inputs[index];
  DCHECK(value.is_ref());
  if (lock_held) return *value.tensor;
  mutex_lock l(*value.mutex_if_ref);
  return *value.tensor;
}

void OpKernelContext::replace_ref_input(int index, const Tensor& tensor,
                                        bool lock_held) {
  const TensorValue& value = params_->inputs[index];
  DCHECK(value.is_ref());
  if (lock_held) {
    *value.tensor = tensor;
    return;
  }
  mutex_lock l(*value.mutex_if_ref);
  *value.tensor = tensor;
}

void OpKernelContext::delete_ref_input(int index, bool lock_held) {
  const TensorValue& value = params_->inputs[index];
  DCHECK(value.is_ref());
  if (lock_held) {
    delete value.tensor;
    return;
  }
  mutex_lock l(*value.mutex_if_ref);
  delete value.tensor;
}

void OpKernelContext::forward_ref_input_to_ref_output(int input_index,
                                                      int output_index) {
  const TensorValue& value = params_->inputs[input_index];
  set_output_ref(output_index, value.mutex_if_ref, value.tensor);
}

Status OpKernelContext::MatchSignature(DataTypeSlice expected_inputs,
                                       DataTypeSlice expected_outputs) {
  return tensorwright::MatchSignature(
      op_kernel().type_string(), expected_inputs, op_kernel().input_types(),
      expected_outputs, op_kernel().output_types());
}

bool OpKernelContext::ValidateInputsAreSameShape(OpKernel* op) {
  for (int i = 1; i < num_inputs(); ++i) {
    if (input(0).IsSameSize(input(i))) continue;
    SetStatus(errors::InvalidArgument(
        op->type_string(), ": all inputs must have one shape, got ",
        input(0).shape().DebugString(), " and, as input ", i, ", ",
        input(i).shape().DebugString()));
    return false;
  }
  return true;
}

// ---- Outputs ---------------------------------------------------------------

Status OpKernelContext::allocate_output(int index, const TensorShape& shape,
                                        Tensor** tensor) {
  return allocate_output(index, shape, tensor, output_alloc_attr(index));
}

Status OpKernelContext::allocate_output(int index, const TensorShape& shape,
                                        Tensor** tensor,
                                        AllocatorAttributes attr) {
  *tensor = nullptr;
  if (index < 0 || index >= num_outputs()) {
    return errors::Internal(op_kernel().type_string(), ": no output ", index);
  }
  OutputSlot& slot = params_->outputs[index];
  const DataType dtype = op_kernel().output_type(index);
  if (IsRefType(dtype)) {
    return errors::Internal(op_kernel().type_string(), ": output ", index,
                            " is a reference; use set_output_ref");
  }
  TF_RETURN_IF_ERROR(
      Tensor::Allocate(get_allocator(attr), dtype, shape, &slot.value));
  slot.tensor = &slot.value;
  slot.mutex_if_ref = nullptr;
  *tensor = slot.tensor;
  return OkStatus();
}

void OpKernelContext::set_output(int index, const Tensor& tensor) {
  set_output(index, Tensor(tensor));
}

void OpKernelContext::set_output(int index, Tensor&& tensor) {
  OutputSlot& slot = output_slot(index);
  // Only a faulty kernel gets here with another dtype; readers of the output
  // rely on it.
  if (tensor.dtype() != op_kernel().output_type(index)) {
    SetStatus(errors::Internal(
        op_kernel().type_string(), ": output ", index, " must be ",
        DataTypeString(op_kernel().output_type(index)), ", the kernel set ",
        DataTypeString(tensor.dtype())));
    return;
  }
  slot.value = std::move(tensor);
  slot.tensor = &slot.value;
  slot.mutex_if_ref = nullptr;
}

void OpKernelContext::set_output_ref(int index, mutex* mu,
                                     Tensor* tensor_for_ref) {
  OutputSlot& slot = output_slot(index);
  slot.tensor = tensor_for_ref;
  slot.mutex_if_ref = mu;
}

TensorValue OpKernelContext::release_output(int index) {
  OutputSlot& slot = output_slot(index);
  TensorValue released(slot.mutex_if_ref, slot.tensor);
  if (released.tensor == &slot.value) {
    released.tensor = new Tensor(std::move(slot.value));
    slot.value = Tensor();
  }
  slot.Clear();
  return released;
}

// ---- Forwarding ------------------------------------------------------------

std::unique_ptr<Tensor> OpKernelContext::forward_input(
    int input_index, int output_index, DataType dtype, const TensorShape& shape,
    MemoryType memory_type, const AllocatorAttributes& attr) {
  (void)output_index;
  const TensorValue& value = params_->inputs[input_index];
  if (!value.last_use || value.is_ref() || value.tensor == nullptr) {
    return nullptr;
  }
  const Tensor& input = *value.tensor;
  if (input.dtype() != dtype || input.NumElements() != shape.num_elements() ||
      !input.RefCountIsOne() ||  // Implies that the memory is ours.
      input_memory_type(input_index) != memory_type ||
      !attr.IsEqualOrLessRestrictiveThan(input_alloc_attr(input_index))) {
    return nullptr;
  }
  auto output = std::make_unique<Tensor>();
  if (!output->CopyFrom(input, shape)) return nullptr;
  return output;
}

bool OpKernelContext::forward_input_to_output_with_shape(
    int input_index, int output_index, const TensorShape& shape,
    Tensor** output) {
  // As forward_input(), without its allocation.
  const TensorValue& value = params_->inputs[input_index];
  if (!value.last_use || value.is_ref() || value.tensor == nullptr) {
    return false;
  }
  OutputSlot& slot = params_->outputs[output_index];
  const Tensor& input = *value.tensor;
  if (input.dtype() != op_kernel().output_type(output_index) ||
      input.NumElements() != shape.num_elements() || !input.RefCountIsOne() ||
      input_memory_type(input_index) != output_memory_type(output_index) ||
      !output_alloc_attr(output_index)
           .IsEqualOrLessRestrictiveThan(input_alloc_attr(input_index)) ||
      !slot.value.CopyFrom(input, shape)) {
    return false;
  }
  slot.tensor = &slot.value;
  slot.mutex_if_ref = nullptr;
  *output = slot.tensor;
  return true;
}

Status OpKernelContext::forward_input_or_allocate_output(
    absl::Span<const int> candidate_input_indices, int output_index,
    const TensorShape& shape, Tensor** output, int* forwarded_input) {
  for (int input_index : candidate_input_indices) {
    if (forward_input_to_output_with_shape(input_index, output_index, shape,
                                           output)) {
      if (forwarded_input != nullptr) *forwarded_input = input_index;
      return OkStatus();
    }
  }
  if (forwarded_input != nullptr) *forwarded_input = -1;
  return allocate_output(output_index, shape, output);
}

Status OpKernelContext::forward_input_or_allocate_temp(
    absl::Span<const int> candidate_input_indices, DataType type,
    const TensorShape& shape, const AllocatorAttributes& allocator_attr,
    Tensor* out_temp) {
  for (int input_index : candidate_input_indices) {
    auto forwarded = forward_input(input_index, -1, type, shape, DEVICE_MEMORY,
                                   allocator_attr);
    if (forwarded != nullptr) {
      *out_temp = std::move(*forwarded);
      return OkStatus();
    }
  }
  return allocate_temp(type, shape, out_temp, allocator_attr);
}

void OpKernelContext::ThrowNoArgument(const char* kind, int index) const {
  throw WrongUse(absl::StrCat("it asks for ", kind, " ", index,
                              " of a node with ", num_inputs(), " inputs and ",
                              num_outputs(), " outputs"));
}

void OpKernelContext::CtxFailure(const char* file, int line, const Status& s) {
  SetStatus(errors::AttachSource(s, file, line));
}

// ---- Temporaries -----------------------------------------------------------

Status OpKernelContext::allocate_temp(DataType type, const TensorShape& shape,
                                      Tensor* out_temp,
                                      AllocatorAttributes attr) {
  return Tensor::Allocate(get_allocator(attr), type, shape, out_temp);
}

Status OpKernelContext::allocate_persistent(DataType type,
                                            const TensorShape& shape,
                                            PersistentTensor* out_persistent,
                                            Tensor** out_tensor,
                                            AllocatorAttributes attr) {
  Tensor tensor;
  TF_RETURN_IF_ERROR(allocate_temp(type, shape, &tensor, attr));
  *out_persistent = PersistentTensor(tensor);
  if (out_tensor != nullptr) *out_tensor = out_persistent->AccessTensor(this);
  return OkStatus();
}

}  // namespace tensorwright
