// SPDX-License-Identifier: Apache-2.0
// Answers a kernel's constructor.
#include "core/framework/op_kernel_construction.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "core/framework/device_base.h"
#include "core/framework/node_properties.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

OpKernelConstruction::OpKernelConstruction(
    DeviceType device_type, DeviceBase* device, Allocator* allocator,
    std::shared_ptr<const NodeProperties> props,
    MemoryTypeSlice input_memory_types, MemoryTypeSlice output_memory_types,
    FunctionLibraryRuntime* flib, int graph_def_version, Status* status)
    : device_type_(std::move(device_type)),
      device_(device),
      allocator_(allocator),
      props_(std::move(props)),
      input_memory_types_(input_memory_types),
      output_memory_types_(output_memory_types),
      flib_(flib),
      graph_def_version_(graph_def_version),
      status_(status) {}

bool OpKernelConstruction::HasAttr(absl::string_view attr_name) const {
  return HasNodeAttr(def(), attr_name);
}

void OpKernelConstruction::CtxFailure(const char* file, int line,
                                      const Status& s) {
  SetStatus(errors::AttachSource(s, file, line));
}

void OpKernelConstruction::SetStatus(const Status& status) {
  status_->Update(status);
}

Env* OpKernelConstruction::env() const { return device_->env(); }

const NodeDef& OpKernelConstruction::def() const { return props_->node_def; }
const DataTypeVector& OpKernelConstruction::input_types() const {
  return props_->input_types;
}
const DataTypeVector& OpKernelConstruction::output_types() const {
  return props_->output_types;
}

namespace {

Status MatchTypes(absl::string_view op, const char* side,
                  DataTypeSlice expected, DataTypeSlice actual) {
  bool match = expected.size() == actual.size();
  for (size_t i = 0; match && i < expected.size(); ++i) {
    match = TypesCompatible(expected[i], actual[i]);
  }
  if (match) return OkStatus();
  return errors::InvalidArgument(op, ": ", side, " must be of types ",
                                 DataTypeSliceString(expected), ", got ",
                                 DataTypeSliceString(actual));
}

}  // namespace

Status MatchSignature(absl::string_view op, DataTypeSlice expected_inputs,
                      DataTypeSlice inputs, DataTypeSlice expected_outputs,
                      DataTypeSlice outputs) {
  TF_RETURN_IF_ERROR(MatchTypes(op, "inputs", expected_inputs, inputs));
  return MatchTypes(op, "outputs", expected_outputs, outputs);
}

Status OpKernelConstruction::MatchSignature(DataTypeSlice expected_inputs,
                                            DataTypeSlice expected_outputs) {
  return tensorwright::MatchSignature(def().op(), expected_inputs,
                                      input_types(), expected_outputs,
                                      output_types());
}

Status OpKernelConstruction::allocate_temp(DataType type,
                                           const TensorShape& shape,
                                           Tensor* out_temp) {
  return Tensor::Allocate(allocator_, type, shape, out_temp);
}

ResourceMgr* OpKernelConstruction::resource_manager() const {
  return device_ == nullptr ? nullptr : device_->resource_manager();
}

Status OpKernelConstruction::allocate_persistent(
    DataType type, const TensorShape& shape, PersistentTensor* out_persistent,
    Tensor** out_tensor) {
  Tensor tensor;
  TF_RETURN_IF_ERROR(allocate_temp(type, shape, &tensor));
  *out_persistent = PersistentTensor(tensor);
  if (out_tensor != nullptr) *out_tensor = out_persistent->AccessTensor(this);
  return OkStatus();
}

}  // namespace tensorwright
