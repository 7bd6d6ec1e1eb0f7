// SPDX-License-Identifier: Apache-2.0
// Do kernels fit their op, and is there one kernel only for each device and
// types?
#include <string>

#include "core/framework/kernel_registry_internal.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/staged_registrations.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace kernel_registry_internal {

Status CheckAgainstOp(const KernelRegistration& kernel, const OpDef& op_def,
                      Types types) {
  auto fail = [&](const auto&... words) {
    return errors::InvalidArgument("Kernel ", kernel.class_name, " for op ",
                                   op_def.name(), " is registered wrongly at ",
                                   At(kernel.location), ": ", words...);
  };
  for (const auto& constraint : kernel.def.constraint()) {
    const OpDef::AttrDef* attr = FindAttr(constraint.name(), op_def);
    if (attr == nullptr) {
      return fail("TypeConstraint names attr '", constraint.name(),
                  "', which the op does not have");
    }
    if (attr->type() != "type" && attr->type() != "list(type)") {
      return fail("TypeConstraint names attr '", constraint.name(),
                  "' of type ", attr->type());
    }
    if (types == Types::kAny) continue;
    for (int type : constraint.allowed_values().list().type()) {
      if (!IsTypeAllowed(*attr, static_cast<DataType>(type))) {
        return fail("attr '", constraint.name(), "' of the op does not allow ",
                    DataTypeString(static_cast<DataType>(type)));
      }
    }
  }
  for (const std::string& name : kernel.def.host_memory_arg()) {
    bool found = FindInputArg(name, op_def) != nullptr;
    for (const auto& arg : op_def.output_arg()) found |= arg.name() == name;
    if (!found) {
      return fail("HostMemory names argument '", name,
                  "', which the op does not have");
    }
  }
  return OkStatus();
}

}  // namespace kernel_registry_internal

namespace {

using kernel_registry_internal::Allows;
using kernel_registry_internal::At;
using kernel_registry_internal::CheckAgainstOp;
using kernel_registry_internal::Make;
using kernel_registry_internal::Types;

// Could one node ask for both, with no reason to prefer either?
bool Collide(const KernelDef& a, const KernelDef& b) {
  if (a.device_type() != b.device_type() || a.label() != b.label() ||
      a.priority() != b.priority()) {
    return false;
  }
  for (const auto& constraint : a.constraint()) {
    for (const auto& other : b.constraint()) {
      if (constraint.name() != other.name()) continue;
      bool common = false;
      for (int type : constraint.allowed_values().list().type()) {
        common |= Allows(other, type);
      }
      if (!common) return false;
    }
  }
  return true;
}

}  // namespace

Status CheckPendingKernels(const PendingKernel& a, const PendingKernel& b) {
  KernelRegistration first, second;
  TF_RETURN_IF_ERROR(Make(a, &first));
  TF_RETURN_IF_ERROR(Make(b, &second));
  if (first.def.op() != second.def.op() || !Collide(first.def, second.def)) {
    return OkStatus();
  }
  return errors::AlreadyExists(
      "Kernels ", a.class_name, " at ", At(a.location), " and ", b.class_name,
      " at ", At(b.location), " for op ", a.builder.op(),
      " are for the same device and types; give one a label or a priority");
}

Status CheckAgainstRegistered(const PendingKernel& kernel, int replaced) {
  KernelRegistration made;
  TF_RETURN_IF_ERROR(Make(kernel, &made));
  for (const KernelRegistration* other :
       RegisteredKernelsForOp(kernel.builder.op())) {
    if (!Collide(made.def, other->def)) continue;
    if (other->library == 0 ? kernel.overrides : other->library == replaced) {
      continue;
    }
    return errors::AlreadyExists(
        "Kernel ", kernel.class_name, " at ", At(kernel.location), " for op ",
        kernel.builder.op(), " is for the same device and types as ",
        other->class_name, " at ", At(other->location),
        ", which is registered already; give it a label or a priority");
  }
  return OkStatus();
}

Status CheckPendingKernel(const PendingKernel& kernel,
                          const OpRegistrationData* op) {
  KernelRegistration made;
  TF_RETURN_IF_ERROR(Make(kernel, &made));
  if (op == nullptr) {
    return errors::InvalidArgument(
        "Kernel ", kernel.class_name, " at ", At(kernel.location),
        " is for op ", kernel.builder.op(),
        ", which nothing registers; add its REGISTER_OP, or correct the name");
  }
  return CheckAgainstOp(made, op->op_def, Types::kAny);
}

}  // namespace tensorwright
