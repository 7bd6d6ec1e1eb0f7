// SPDX-License-Identifier: Apache-2.0
// Tells crash reports which kernel a thread runs.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_RUNNING_KERNEL_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_RUNNING_KERNEL_H_

#include "absl/strings/string_view.h"
#include "core/common_runtime/crash_report.h"
#include "core/framework/op_kernel_context.h"

namespace tensorwright {

class NodeDef;

// While it lives, a crash of this thread is reported as one of the kernel that
// `params` then name, with their inputs; of none while params.op_kernel is
// null.  One scope serves all kernels of a run that share their Params.
class RunningKernelScope {
 public:
  explicit RunningKernelScope(const OpKernelContext::Params& params)
      : scope_(&Describe, &params) {}

 private:
  static void Describe(const void* params, crash::Writer* out);

  crash::WorkScope scope_;
};

// The same while the constructor of the node's kernel runs.
class KernelConstructionScope {
 public:
  explicit KernelConstructionScope(const NodeDef& node)
      : scope_(&Describe, &node) {}

 private:
  static void Describe(const void* node, crash::Writer* out);

  crash::WorkScope scope_;
};

// Reports crashes of kernels from here on (crash_report.h); called when a
// session or server is made.  Any thread.
void ReportCrashesOfKernels();

// Front ends know which line of a program made a node.  A crash report calls
// `write`, which takes no lock and no memory, and writes "FILE:LINE", or
// nothing, for a node of that name and op.  Any thread.
using NodeLineWriter = void (*)(absl::string_view node, absl::string_view op,
                                crash::Writer* out);
void SetNodeLineWriter(NodeLineWriter write);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_RUNNING_KERNEL_H_
