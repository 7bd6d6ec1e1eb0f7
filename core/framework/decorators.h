// SPDX-License-Identifier: Apache-2.0
// Decorators: code that stands between an op's kernels, or its shape function,
// and whoever calls them.
//
// They are for tools that test the tests: tools/mutate makes an op wrong by one
// and sees whether a test fails.  Nothing in the library sets one.  Without
// one, the price is a pointer test when a kernel is made or a plan compiled;
// a run pays nothing.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_DECORATORS_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_DECORATORS_H_

#include <functional>
#include <memory>

#include "absl/strings/string_view.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Gets a kernel as its factory made it, and the construction it was made from;
// returns the kernel that runs in its place, most often one that owns `made`
// and calls it.  May be called by several threads at a time.
using KernelDecorator = std::function<std::unique_ptr<OpKernel>(
    OpKernelConstruction* construction, std::unique_ptr<OpKernel> made)>;

// From now on every kernel that CreateOpKernel makes for `op`, or for any op if
// `op` is empty, goes through `decorator`; it replaces the decorator before it,
// and an empty function ends decorating.  Kernels that exist stay as they are.
//
// A graph with a decorated op runs as it was written, so that the decorated
// kernel does the work: no pass rewrites such a graph, and its executor calls
// the kernels of Const, Identity, Switch and the like, which it otherwise
// leaves out.
//
// Any thread may call it.  Replaced decorators are not freed: a kernel may be
// on its way through one.
void SetKernelDecorator(absl::string_view op, KernelDecorator decorator);

// Do kernels made for `op` now go through a decorator?
bool HasKernelDecorator(absl::string_view op);

// Returns the kernel that CreateOpKernel gives out in place of `made`; `made`
// itself if its op has no decorator.
std::unique_ptr<OpKernel> DecorateKernel(OpKernelConstruction* construction,
                                         std::unique_ptr<OpKernel> made);

// Replaces the shape function of `op` in the global registry, for good, by one
// that calls `decorator` with the function registered so far (empty if there
// is none).  NotFound if there is no such op.  No other thread may use the op
// during the call: look-ups hand out the registration without a lock.
using ShapeFnDecorator =
    std::function<Status(const OpShapeInferenceFn& registered,
                         shape_inference::InferenceContext* c)>;
Status DecorateShapeFn(absl::string_view op, ShapeFnDecorator decorator);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_DECORATORS_H_
