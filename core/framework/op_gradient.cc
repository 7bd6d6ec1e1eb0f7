// SPDX-License-Identifier: Apache-2.0
// The registry of gradients that are function bodies.
#include "core/framework/op_gradient.h"

#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/staged_registrations.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace gradient {
namespace {

struct Gradients {
  absl::Mutex mu;
  absl::flat_hash_map<std::string, std::unique_ptr<const OpGradient>> by_op
      ABSL_GUARDED_BY(mu);
};

Gradients* All() {
  static Gradients* const all = new Gradients;
  return all;
}

}  // namespace

bool RegisterOp(const std::string& op, Creator creator, const char* name,
                SourceLocation location) {
  OpGradient gradient{std::move(creator), name, location};
  RegisterEntry(absl::StrCat("The gradient of op ", op), location,
                [op, gradient = std::move(gradient)] {
                  absl::MutexLock lock(&All()->mu);
                  All()->by_op.emplace(
                      op, std::make_unique<const OpGradient>(gradient));
                });
  return true;
}

const OpGradient* FindOpGradient(absl::string_view op) {
  absl::ReaderMutexLock lock(&All()->mu);
  const auto found = All()->by_op.find(op);
  return found == All()->by_op.end() ? nullptr : found->second.get();
}

Status GetOpGradientCreator(const std::string& op, Creator* creator) {
  const OpGradient* const found = FindOpGradient(op);
  if (found == nullptr) {
    return errors::NotFound("No gradient is registered for op ", op);
  }
  *creator = found->creator;
  return OkStatus();
}

}  // namespace gradient
}  // namespace tensorwright
