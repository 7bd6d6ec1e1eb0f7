// SPDX-License-Identifier: Apache-2.0
// KernelCache: the kernels of a session that keep state between runs.
//
// Owned by the session's resources, or by the caller of CompileGraph; devices
// and functions outlive it.  It never drops a kernel, even if no plan uses it
// any more: the next plan must find its state (a variable's value is in the
// device's ResourceMgr or in the kernel).
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_KERNEL_CACHE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_KERNEL_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/device.h"
#include "core/framework/op_kernel.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// A stateful op (a variable, a random generator, a queue) has one kernel per
// node name and device, which all plans of the session share; any other kernel,
// and those of nodes that the runtime adds (whose name or op is "_..."),
// belongs to its plan. Thread safe; a stateful kernel is constructed under the
// lock.
class KernelCache {
 public:
  // `functions`, not owned, serves kernels that call functions; null if no
  // kernel calls any.
  explicit KernelCache(FunctionLibraryRuntime* functions = nullptr)
      : functions_(functions) {}

  FunctionLibraryRuntime* functions() const { return functions_; }
  // Call it before the first kernel is made.
  void set_functions(FunctionLibraryRuntime* functions) {
    functions_ = functions;
  }

  // Sets *kernel to the kernel of the node, which may be in use by other plans.
  // A node that has the name of an earlier one, but another op or other attrs,
  // gets a kernel of its own, which takes the earlier one's place here; so does
  // a node whose op's library was loaded again, since the old kernel is of the
  // old code (what it keeps in itself is lost, its resources are not).  A node
  // whose op is a function gets one that calls it.  InvalidArgument, listing
  // the op's kernels, if the op has none for the device; NotFound, with the
  // list, if none fits the node's types; otherwise the error of the kernel's
  // constructor.  Errors note the node.
  Status GetOrCreate(const Node& node, Device* device,
                     std::shared_ptr<OpKernel>* kernel);

 private:
  Status Create(const Node& node, Device* device,
                std::shared_ptr<OpKernel>* kernel) const;

  FunctionLibraryRuntime* functions_;
  absl::Mutex mu_;
  struct Stateful {
    std::shared_ptr<OpKernel> kernel;
    // KernelReloads() of the time to which it belongs.
    int64_t reloads = 0;
  };
  absl::flat_hash_map<std::pair<const Device*, std::string>, Stateful> stateful_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_KERNEL_CACHE_H_
