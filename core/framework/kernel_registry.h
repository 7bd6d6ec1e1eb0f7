// SPDX-License-Identifier: Apache-2.0
// The registry of kernels: which class runs a node on a device.
//
// Registrations are stored when the program starts and sorted out per op at its
// first look-up.  A registration that cannot be right (no device, an attr its
// op does not have, a type the op does not allow) never stops the program: it
// is reported, with file and line, by every look-up for its op and by
// ValidateKernelRegistrations().
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/kernel_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/types.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpKernel;
class OpKernelConstruction;
class OpRegistryInterface;

// One registered kernel.  Owned by the registry, immutable, never removed.
struct KernelRegistration {
  using Factory = OpKernel* (*)(OpKernelConstruction*);

  KernelDef def;
  std::string class_name;  // As written: "MatMulOp<CPUDevice, float>".
  // The library type the class says it rests on (`using Primitive = ...`), with
  // its namespace; empty if it says nothing.
  std::string primitive;
  SourceLocation location;
  Factory factory = nullptr;
};

// Every kernel, by op and then in order of registration.  The second gives
// those of one op.
std::vector<const KernelRegistration*> RegisteredKernels();
std::vector<const KernelRegistration*> RegisteredKernelsForOp(
    absl::string_view op);

// The kernel that runs such a node on such a device: one for the device's type,
// else one for DEVICE_DEFAULT.  NotFound if there is none: the text says which
// kernels of the op exist, and on which devices and for which types.
// InvalidArgument if two fit equally well.
Status FindKernelRegistration(const DeviceType& device_type,
                              absl::string_view op, const AttrSlice& attrs,
                              const KernelRegistration** registration);

// The same, for callers that need the definition or the class name only;
// either may be null.
Status FindKernelDef(const DeviceType& device_type, const NodeDef& node_def,
                     const KernelDef** def, std::string* kernel_class_name);

// Those of `prioritized_types` that have a kernel for the node, in the given
// order. Empty, with OK, if none has.
Status SupportedDeviceTypesForNode(
    const std::vector<DeviceType>& prioritized_types, const NodeDef& def,
    DeviceTypeVector* device_types);

// Is there a kernel for that op on that device at all?
bool KernelDefAvailable(const DeviceType& device_type, absl::string_view op);

// A line per kernel of the op: "  device='CPU'; T in [DT_FLOAT]".
std::string KernelsRegisteredForOp(absl::string_view op);

// Checks every registration against its op and returns the first mistake, if
// any.
Status ValidateKernelRegistrations(const OpRegistryInterface& op_registry);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_H_
