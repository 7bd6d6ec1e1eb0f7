// SPDX-License-Identifier: Apache-2.0
// Collects what REGISTER_KERNEL_BUILDER says.
#include "core/framework/kernel_def_builder.h"

#include "core/framework/attr_value.pb.h"
#include "core/framework/kernel_def.pb.h"

namespace tensorwright {

KernelDefBuilder::KernelDefBuilder(const char* op_name) : op_(op_name) {}

KernelDefBuilder::KernelDefBuilder(const KernelDefBuilder& other) = default;
KernelDefBuilder::KernelDefBuilder(KernelDefBuilder&& other) noexcept = default;
KernelDefBuilder& KernelDefBuilder::operator=(const KernelDefBuilder& other) =
    default;
KernelDefBuilder& KernelDefBuilder::operator=(
    KernelDefBuilder&& other) noexcept = default;
KernelDefBuilder::~KernelDefBuilder() = default;

KernelDefBuilder& KernelDefBuilder::Device(const char* device_type) {
  device_type_ = device_type;
  return *this;
}

KernelDefBuilder& KernelDefBuilder::Device(const DeviceType& device_type) {
  device_type_ = device_type.type_string();
  return *this;
}

KernelDefBuilder& KernelDefBuilder::TypeConstraint(
    const char* attr_name, absl::Span<const DataType> allowed) {
  constraints_.emplace_back(attr_name,
                            DataTypeVector(allowed.begin(), allowed.end()));
  return *this;
}

KernelDefBuilder& KernelDefBuilder::TypeConstraint(const char* attr_name,
                                                   DataType allowed) {
  return TypeConstraint(attr_name, absl::Span<const DataType>(&allowed, 1));
}

KernelDefBuilder& KernelDefBuilder::HostMemory(const char* arg_name) {
  host_memory_args_.emplace_back(arg_name);
  return *this;
}

KernelDefBuilder& KernelDefBuilder::Label(const char* label) {
  label_ = label;
  return *this;
}

KernelDefBuilder& KernelDefBuilder::Priority(int32_t priority) {
  priority_ = priority;
  return *this;
}

void KernelDefBuilder::Fill(KernelDef* kernel_def) const {
  kernel_def->Clear();
  kernel_def->set_op(op_);
  kernel_def->set_device_type(device_type_);
  kernel_def->set_label(label_);
  kernel_def->set_priority(priority_);
  for (const auto& [attr_name, types] : constraints_) {
    auto* constraint = kernel_def->add_constraint();
    constraint->set_name(attr_name);
    auto* list = constraint->mutable_allowed_values()->mutable_list();
    for (DataType type : types) list->add_type(type);
  }
  for (const std::string& arg : host_memory_args_) {
    kernel_def->add_host_memory_arg(arg);
  }
}

const KernelDef* KernelDefBuilder::Build() const {
  auto* kernel_def = new KernelDef;
  Fill(kernel_def);
  return kernel_def;
}

}  // namespace tensorwright
