// SPDX-License-Identifier: Apache-2.0
// Which ops have had kernels replaced, because their library was loaded again.
#include "absl/algorithm/container.h"
#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/kernel_registry.h"

namespace tensorwright {
namespace kernel_reloads_internal {
std::atomic<int64_t> count{0};
}  // namespace kernel_reloads_internal

namespace {

struct Reloads {
  absl::Mutex mu;
  // By op, the number of its last reload.
  absl::flat_hash_map<std::string, int64_t> last ABSL_GUARDED_BY(mu);

  static Reloads* Global() {
    static Reloads* const reloads = new Reloads;
    return reloads;
  }
};

}  // namespace

bool AnyReloadedSince(absl::Span<const std::string> ops, int64_t since) {
  Reloads* const reloads = Reloads::Global();
  absl::MutexLock lock(&reloads->mu);
  return absl::c_any_of(
      ops, [&](const std::string& op) ABSL_NO_THREAD_SAFETY_ANALYSIS {
        const auto it = reloads->last.find(op);
        return it != reloads->last.end() && it->second > since;
      });
}

void NoteKernelReload(absl::Span<const std::string> ops) {
  Reloads* const reloads = Reloads::Global();
  absl::MutexLock lock(&reloads->mu);
  const int64_t number = KernelReloads() + 1;
  for (const std::string& op : ops) reloads->last[op] = number;
  kernel_reloads_internal::count.store(number, std::memory_order_relaxed);
}

}  // namespace tensorwright
