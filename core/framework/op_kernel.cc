// SPDX-License-Identifier: Apache-2.0
// OpKernel itself, and how kernels are made.
#include "core/framework/op_kernel.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "core/framework/decorators.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/memory_types.h"
#include "core/framework/node_properties.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

OpKernel::OpKernel(OpKernelConstruction* context)
    : OpKernel(context, /*is_expensive=*/true) {}

OpKernel::OpKernel(OpKernelConstruction* context, bool is_expensive)
    : props_(context->props_),
      input_types_(props_->input_types),
      output_types_(props_->output_types),
      input_memory_types_(context->input_memory_types().begin(),
                          context->input_memory_types().end()),
      output_memory_types_(context->output_memory_types().begin(),
                           context->output_memory_types().end()),
      is_internal_(absl::StartsWith(props_->node_def.name(), "_")),
      expensive_(is_expensive) {
  OP_REQUIRES_OK(context, NameRangesForNode(props_->node_def, *props_->op_def,
                                            &input_ranges_, &output_ranges_));
}

OpKernel::~OpKernel() = default;

const NodeDef& OpKernel::def() const { return props_->node_def; }
const std::string& OpKernel::name() const { return props_->node_def.name(); }
const std::string& OpKernel::type_string() const {
  return props_->node_def.op();
}
const std::string& OpKernel::requested_device() const {
  return props_->node_def.device();
}
const std::string& OpKernel::requested_input(int i) const {
  return props_->node_def.input(i);
}

namespace {

Status FindRange(const ArgRanges& ranges, absl::string_view name,
                 const OpKernel& kernel, const char* side, int* start,
                 int* stop) {
  const ArgRange* range = FindArgRange(ranges, name);
  if (range == nullptr) {
    return errors::InvalidArgument(kernel.type_string(), ": there is no ", side,
                                   " '", name, "'");
  }
  *start = range->start;
  *stop = range->stop;
  return OkStatus();
}

}  // namespace

Status OpKernel::InputRange(absl::string_view input_name, int* start,
                            int* stop) const {
  return FindRange(input_ranges_, input_name, *this, "input", start, stop);
}

Status OpKernel::OutputRange(absl::string_view output_name, int* start,
                             int* stop) const {
  return FindRange(output_ranges_, output_name, *this, "output", start, stop);
}

Status OpKernel::MakeShape(const Tensor& shape, TensorShape* out) const {
  if (shape.dims() != 1) {
    return errors::InvalidArgument(type_string(),
                                   ": shape must be a vector of int32 or "
                                   "int64, got shape ",
                                   shape.shape().DebugString());
  }
  if (shape.dtype() == DT_INT32) {
    return TensorShapeUtils::MakeShape(Flat<int32_t>(shape), out);
  }
  if (shape.dtype() == DT_INT64) {
    return TensorShapeUtils::MakeShape(Flat<int64_t>(shape), out);
  }
  return errors::InvalidArgument(type_string(),
                                 ": shape must be int32 or int64, got ",
                                 DataTypeString(shape.dtype()));
}

void AsyncOpKernel::Compute(OpKernelContext* ctx) {
  absl::Notification done;
  ComputeAsync(ctx, [&done] { done.Notify(); });
  done.WaitForNotification();
}

// ---- Making kernels --------------------------------------------------------

Status CreateOpKernel(DeviceType device_type, DeviceBase* device,
                      Allocator* allocator, FunctionLibraryRuntime* flib,
                      const std::shared_ptr<const NodeProperties>& props,
                      int graph_def_version, OpKernel** kernel) {
  *kernel = nullptr;
  const NodeDef& node_def = props->node_def;
  const KernelRegistration* registration;
  TF_RETURN_IF_ERROR(FindKernelRegistration(device_type, node_def.op(),
                                            node_def, &registration));
  MemoryTypeVector input_memory_types, output_memory_types;
  TF_RETURN_IF_ERROR(
      MemoryTypesForKernel(*props->op_def, registration->def, device_type,
                           node_def, props->input_types, props->output_types,
                           &input_memory_types, &output_memory_types));
  Status status;
  OpKernelConstruction construction(
      std::move(device_type), device, allocator, props, input_memory_types,
      output_memory_types, flib, graph_def_version, &status);
  std::unique_ptr<OpKernel> made;
  TF_RETURN_IF_ERROR(CatchExceptions(
      [&] { made.reset(registration->factory(&construction)); },
      [&] {
        return absl::StrCat("The constructor of the kernel of ", node_def.op());
      }));
  TF_RETURN_IF_ERROR(status);
  // A factory of a library that `tw shrink` linked makes none for dtypes which
  // its model does not have.
  if (made == nullptr) {
    return errors::Unimplemented("The kernel of ", node_def.op(), " (",
                                 registration->class_name,
                                 ") was left out of this library");
  }
  *kernel = DecorateKernel(&construction, std::move(made)).release();
  return OkStatus();
}

Status CreateOpKernel(DeviceType device_type, DeviceBase* device,
                      Allocator* allocator, FunctionLibraryRuntime* flib,
                      const NodeDef& node_def, int graph_def_version,
                      OpKernel** kernel) {
  *kernel = nullptr;
  const OpRegistrationData* op;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(node_def.op(), &op));
  TF_RETURN_IF_ERROR(ValidateNodeDef(node_def, op->op_def));
  std::shared_ptr<const NodeProperties> props;
  TF_RETURN_IF_ERROR(NodeProperties::CreateFromNodeDef(
      node_def, OpRegistry::Global(), &props));
  return CreateOpKernel(std::move(device_type), device, allocator, flib, props,
                        graph_def_version, kernel);
}

std::unique_ptr<OpKernel> CreateOpKernel(
    DeviceType device_type, DeviceBase* device, Allocator* allocator,
    const NodeDef& node_def, int graph_def_version, Status* status) {
  OpKernel* kernel = nullptr;
  *status =
      CreateOpKernel(std::move(device_type), device, allocator,
                     /*flib=*/nullptr, node_def, graph_def_version, &kernel);
  return std::unique_ptr<OpKernel>(kernel);
}

}  // namespace tensorwright
