// SPDX-License-Identifier: Apache-2.0
// The registry of kernels' choosers.

#include "core/framework/kernel_choices.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/node_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace tensorwright {
namespace {

struct Choosers {
  absl::Mutex mu;
  // Nodes stay where they are: pointers to them are given out.
  absl::node_hash_map<std::string, KernelChooser> by_op ABSL_GUARDED_BY(mu);
};

Choosers* Global() {
  static auto* choosers = new Choosers;
  return choosers;
}

}  // namespace

const KernelChooser* FindKernelChooser(absl::string_view op) {
  Choosers* all = Global();
  absl::MutexLock lock(&all->mu);
  const auto it = all->by_op.find(op);
  return it == all->by_op.end() ? nullptr : &it->second;
}

KernelChooserRegistrar::KernelChooserRegistrar(std::string op,
                                               KernelChooser chooser) {
  Choosers* all = Global();
  absl::MutexLock lock(&all->mu);
  all->by_op.insert_or_assign(std::move(op), chooser);
}

}  // namespace tensorwright
