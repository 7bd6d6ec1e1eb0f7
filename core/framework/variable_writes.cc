// SPDX-License-Identifier: Apache-2.0
// VariableWriteScope and VariableWriteEpoch.
#include "core/framework/variable_writes.h"

#include <atomic>

namespace tensorwright {
namespace {

std::atomic<uint64_t> begun{0}, ended{0};

}  // namespace

VariableWriteScope::VariableWriteScope(bool may_write) : may_write_(may_write) {
  if (may_write_) begun.fetch_add(1);
}

VariableWriteScope::~VariableWriteScope() {
  if (may_write_) ended.fetch_add(1);
}

uint64_t VariableWriteEpoch() {
  // Both only grow, and `begun` is never behind: if they are found equal in
  // this order, they were equal when `ended` was read.
  const uint64_t e = ended.load();
  return begun.load() == e ? e + 1 : 0;
}

}  // namespace tensorwright
