// SPDX-License-Identifier: Apache-2.0
// Who runs kernels may want to know of those that passes run.
#ifndef TENSORWRIGHT_CORE_GRAPH_PASSES_KERNEL_WATCH_H_
#define TENSORWRIGHT_CORE_GRAPH_PASSES_KERNEL_WATCH_H_

#include "absl/functional/function_ref.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_kernel_context.h"

namespace tensorwright {

// Calls work(), which constructs the kernel of `node` or, if `params` is not
// null, runs it.
using KernelWatch = void (*)(const NodeDef& node,
                             const OpKernelContext::Params* params,
                             absl::FunctionRef<void()> work);

// From now on passes call `watch` around what they do with kernels.  Any
// thread.
void SetKernelWatch(KernelWatch watch);

// For passes: does work(), watched if somebody has asked for it.
void WatchKernel(const NodeDef& node, const OpKernelContext::Params* params,
                 absl::FunctionRef<void()> work);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_PASSES_KERNEL_WATCH_H_
