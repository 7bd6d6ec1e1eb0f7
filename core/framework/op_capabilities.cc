// SPDX-License-Identifier: Apache-2.0
// Capabilities of ops.

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/op_registration.h"

namespace tensorwright {
namespace {

constexpr CapabilityKind kKinds[] = {
    {"files read", kFilesRead, false},
    {"files written", kFilesWritten, false},
    {"network", kNetwork, false},
    {"python", kPython, false},
    {"native code", kNativeCode, false},
    {"host", kHost, false},
    {"blocking", kBlocking, true},
    {"unbounded memory", kUnboundedMemory, true},
};

// Has a library other than the op's own kernels of it?
bool HasForeignKernel(const OpRegistrationData& op) {
  const std::string& name = op.op_def.name();
  if (!HasLibraryKernel(name)) return false;
  for (const KernelRegistration* kernel : RegisteredKernelsForOp(name)) {
    if (kernel->library != 0 && kernel->library != op.library) return true;
  }
  return false;
}

}  // namespace

absl::Span<const CapabilityKind> CapabilityKinds() { return kKinds; }

CapabilitySet CapabilityOfName(absl::string_view name) {
  if (name == "files") return kFilesRead | kFilesWritten;
  for (const CapabilityKind& kind : kKinds) {
    if (kind.name == name) return kind.bit;
  }
  return 0;
}

std::vector<std::string> CapabilityNames(CapabilitySet set) {
  std::vector<std::string> names;
  for (const CapabilityKind& kind : kKinds) {
    if ((set & kind.bit) != 0) names.emplace_back(kind.name);
  }
  return names;
}

CapabilitySet CapabilitiesOf(const OpRegistrationData& op,
                             std::string* reason) {
  if (reason != nullptr) reason->clear();
  if (op.library != 0 && !op.claims_capabilities) {
    if (reason != nullptr) {
      *reason = absl::StrCat("its library ", op.library_file,
                             " does not say what it touches");
    }
    return kAllCapabilities;
  }
  if (HasForeignKernel(op)) {
    if (reason != nullptr) {
      *reason = "a library that was loaded has a kernel of it";
    }
    return kAllCapabilities;
  }
  CapabilitySet set = 0;
  for (const std::string& kind : op.touches) set |= CapabilityOfName(kind);
  for (const std::string& kind : op.needs) set |= CapabilityOfName(kind);
  return set;
}

std::string ChanceOf(const OpRegistrationData& op) {
  if (!op.chance.empty()) return op.chance;
  const auto is_seed = [](const auto& part) {
    return part.name() == "seed" || part.name() == "seed2";
  };
  // An attr that a stateless op ignores is there for TensorFlow's graphs.
  const bool has_seeds =
      absl::c_count_if(op.op_def.input_arg(), is_seed) == 2 ||
      (op.op_def.is_stateful() &&
       absl::c_count_if(op.op_def.attr(), is_seed) == 2);
  return has_seeds ? "chance unless seed" : "";
}

}  // namespace tensorwright
