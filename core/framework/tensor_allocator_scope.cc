// SPDX-License-Identifier: Apache-2.0
// TensorAllocatorScope.
#include "core/framework/allocator.h"
#include "core/framework/allocator_reuse.h"

namespace tensorwright {

thread_local Allocator* TensorAllocatorScope::current_ = nullptr;

TensorAllocatorScope::TensorAllocatorScope(Allocator* allocator)
    : outer_(current_) {
  current_ = allocator;
}

TensorAllocatorScope::~TensorAllocatorScope() { current_ = outer_; }

Allocator* TensorAllocatorScope::Current() {
  return current_ != nullptr ? current_ : cpu_allocator();
}

}  // namespace tensorwright
