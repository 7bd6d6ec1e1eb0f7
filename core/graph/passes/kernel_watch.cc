// SPDX-License-Identifier: Apache-2.0
// The watch of kernels that passes run.
#include "core/graph/passes/kernel_watch.h"

#include <atomic>

namespace tensorwright {
namespace {

std::atomic<KernelWatch> the_watch{nullptr};

}  // namespace

void SetKernelWatch(KernelWatch watch) {
  the_watch.store(watch, std::memory_order_release);
}

void WatchKernel(const NodeDef& node, const OpKernelContext::Params* params,
                 absl::FunctionRef<void()> work) {
  if (const KernelWatch watch = the_watch.load(std::memory_order_acquire)) {
    watch(node, params, work);
  } else {
    work();
  }
}

}  // namespace tensorwright
