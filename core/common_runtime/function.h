// SPDX-License-Identifier: Apache-2.0
// The FunctionLibraryRuntime of a session: functions as compiled plans.
//
// An instance is compiled once, by its first run: the body becomes a graph
// (core/graph/function_body.h), is placed, goes through the graph passes and
// becomes a Plan.  A call is a step of its own, with its own per-step
// containers, that runs this plan; the caller's thread takes part in the work.
//
// Instantiate("SymbolicGradient", {f: ...}) is the gradient of f: a function
// that the library names, or the gradient that C++ registered for an op
// (core/framework/op_gradient.h).
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_FUNCTION_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_FUNCTION_H_

#include <memory>

#include "core/common_runtime/device.h"
#include "core/common_runtime/plan.h"
#include "core/framework/function.h"
#include "core/framework/node_properties.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"

namespace tensorwright {

struct SessionResources;

// `resources`, not owned, outlives the runtime and has the threads, devices and
// kernels that it uses.  `options` are those of the session's plans.
std::unique_ptr<FunctionLibraryRuntime> NewFunctionLibraryRuntime(
    std::shared_ptr<const FunctionLibraryDefinition> library,
    SessionResources* resources, const PlanOptions& options);

// The kernel of a node whose op is a function of `runtime`'s library: it calls
// the function.  Fails as Instantiate does.
Status MakeFunctionCallKernel(Device* device, FunctionLibraryRuntime* runtime,
                              const std::shared_ptr<const NodeProperties>& node,
                              OpKernel** kernel);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_FUNCTION_H_
