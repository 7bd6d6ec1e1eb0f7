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

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/kernel_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/types.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpKernel;
class OpKernelConstruction;
class OpRegistryInterface;

// One registered kernel.  Owned by the registry, immutable, never destroyed;
// look-ups no longer find it if its library was loaded again.
struct KernelRegistration {
  using Factory = OpKernel* (*)(OpKernelConstruction*);

  KernelDef def;
  std::string class_name;  // As written: "MatMulOp<CPUDevice, float>".
  // The library type the class says it rests on (`using Primitive = ...`), with
  // its namespace; empty if it says nothing.
  std::string primitive;
  SourceLocation location;
  Factory factory = nullptr;
  // Which loaded library brought it (op_library.h), from 1 on; 0: none did.
  int library = 0;
  // It comes before those of its op that do not override (LoadOptions).
  bool overrides = false;
};

// The attr, a bool, of nodes that are not meant for kernels that override:
// graph passes set it on nodes that they add.
inline constexpr char kBuiltInKernelAttr[] = "_built_in_kernel";

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

// Does a kernel that overrides run such a node on such a device?  Then no graph
// pass may put anything else in the node's place.  Takes a nanosecond as long
// as no kernel overrides.
bool IsOverridden(const DeviceType& device_type, absl::string_view op,
                  const AttrSlice& attrs);

// Has a loaded library a kernel of the op?  As quick, if none is loaded.
bool HasLibraryKernel(absl::string_view op);

// Is there a kernel for that op on that device at all?
bool KernelDefAvailable(const DeviceType& device_type, absl::string_view op);

// A line per kernel of the op: "  device='CPU'; T in [DT_FLOAT]".
std::string KernelsRegisteredForOp(absl::string_view op);

// Checks every registration against its op and returns the first mistake, if
// any.
Status ValidateKernelRegistrations(const OpRegistryInterface& op_registry);

// ---- Reloads of libraries (op_library.h).
// Whoever keeps kernels, or values that they computed, notes KernelReloads()
// before making them and compares it before the next use: that is one load.
// If it differs, AnyReloadedSince tells whether that concerns these kernels.

namespace kernel_reloads_internal {
extern std::atomic<int64_t> count;
}  // namespace kernel_reloads_internal

// The number of reloads so far.
inline int64_t KernelReloads() {
  return kernel_reloads_internal::count.load(std::memory_order_relaxed);
}

// Did a reload after the first `since` of them replace a kernel of one of
// `ops`?
bool AnyReloadedSince(absl::Span<const std::string> ops, int64_t since);

// Counts a reload that replaced kernels of `ops`.  Called when look-ups find
// the new ones.
void NoteKernelReload(absl::Span<const std::string> ops);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_REGISTRY_H_
