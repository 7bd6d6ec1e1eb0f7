// SPDX-License-Identifier: Apache-2.0
// The registry of elementwise ops.
#include "core/util/elementwise.h"

#include <algorithm>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

struct Registry {
  absl::Mutex mu;
  absl::flat_hash_map<std::string, ElementwiseOp> ops ABSL_GUARDED_BY(mu);
};

// Never destroyed: kernels ask until the last thread ends.
Registry& Global() {
  static Registry* registry = new Registry;
  return *registry;
}

}  // namespace

ElementwiseRegistrar::ElementwiseRegistrar(absl::string_view op,
                                           ElementwiseOp traits) {
  Registry& registry = Global();
  absl::MutexLock lock(&registry.mu);
  const auto [it, is_new] = registry.ops.emplace(op, traits);
  CHECK(is_new || (it->second.kind == traits.kind &&
                   it->second.activation == traits.activation))
      << op << " is registered as two kinds of elementwise op";
}

ElementwiseOp FindElementwiseOp(absl::string_view op) {
  Registry& registry = Global();
  absl::ReaderMutexLock lock(&registry.mu);
  const auto it = registry.ops.find(op);
  return it == registry.ops.end() ? ElementwiseOp() : it->second;
}

std::vector<std::string> ElementwiseOps() {
  Registry& registry = Global();
  absl::ReaderMutexLock lock(&registry.mu);
  std::vector<std::string> ops;
  for (const auto& [op, traits] : registry.ops) ops.push_back(op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

}  // namespace tensorwright
