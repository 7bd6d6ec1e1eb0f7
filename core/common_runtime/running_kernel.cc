// SPDX-License-Identifier: Apache-2.0
// Describes a kernel and its inputs in a signal handler.
#include "core/common_runtime/running_kernel.h"

#include <atomic>

#include "core/framework/node_def.pb.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/graph/passes/kernel_watch.h"

namespace tensorwright {
namespace {

constexpr size_t kMaxInputs = 32;

std::atomic<NodeLineWriter> write_line{nullptr};

void WriteInput(const TensorValue& input, crash::Writer* out) {
  if (input.tensor == nullptr) {
    *out << "none";
    return;
  }
  // The names of dtypes are so short that the string takes no memory.
  *out << DataTypeString(input.tensor->dtype()) << "[";
  const char* comma = "";
  for (const int64_t size : input.tensor->shape().dim_sizes()) {
    *out << comma << size;
    comma = ",";
  }
  *out << "]";
}

void WriteInputs(absl::Span<const TensorValue> inputs, crash::Writer* out) {
  if (inputs.empty()) return;
  *out << "    inputs     ";
  for (size_t i = 0; i < inputs.size() && i < kMaxInputs; ++i) {
    if (i > 0) *out << ", ";
    WriteInput(inputs[i], out);
  }
  if (inputs.size() > kMaxInputs) {
    *out << ", ... (" << static_cast<int64_t>(inputs.size()) << ")";
  }
  *out << "\n";
}

void WriteNode(const std::string& name, const std::string& op,
               crash::Writer* out) {
  *out << "    node       " << name << "\n    op         " << op << "\n";
}

void WriteLine(const std::string& name, const std::string& op,
               crash::Writer* out) {
  const auto write = write_line.load(std::memory_order_acquire);
  if (write == nullptr) return;
  *out << "    made at    ";
  write(name, op, out);
  *out << "\n";
}

// The table of virtual functions lies in the library that defines the class,
// beside its Compute.
const void* CodeOf(const OpKernel& kernel) {
  return *reinterpret_cast<const void* const*>(&kernel);
}

// The kernels of passes, which fold constants.
void Watch(const NodeDef& node, const OpKernelContext::Params* params,
           absl::FunctionRef<void()> work) {
  if (params != nullptr) {
    const RunningKernelScope running(*params);
    work();
  } else {
    const KernelConstructionScope constructing(node);
    work();
  }
}

}  // namespace

void RunningKernelScope::Describe(const void* params, crash::Writer* out) {
  const auto& p = *static_cast<const OpKernelContext::Params*>(params);
  if (p.op_kernel == nullptr) {
    *out << "    none yet: the run has just begun\n";
    return;
  }
  const OpKernel& kernel = *p.op_kernel;
  WriteNode(kernel.name(), kernel.type_string(), out);
  WriteInputs(p.inputs, out);
  WriteLine(kernel.name(), kernel.type_string(), out);
  *out << "    library    ";
  if (!crash::WriteFileAt(CodeOf(kernel), false, out)) *out << "unknown";
  *out << "\n";
  out->SetCode(CodeOf(kernel));
}

void KernelConstructionScope::Describe(const void* node, crash::Writer* out) {
  const auto& def = *static_cast<const NodeDef*>(node);
  WriteNode(def.name(), def.op(), out);
  *out << "    where      its constructor\n";
  WriteLine(def.name(), def.op(), out);
}

void ReportCrashesOfKernels() {
  crash::InstallCrashReport();
  SetKernelWatch(&Watch);
}

void SetNodeLineWriter(NodeLineWriter write) {
  write_line.store(write, std::memory_order_release);
}

}  // namespace tensorwright
