// SPDX-License-Identifier: Apache-2.0
// TypedAllocator: arrays of objects from an Allocator.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPED_ALLOCATOR_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPED_ALLOCATOR_H_

#include <cstddef>

#include "core/framework/allocator.h"

namespace tensorwright {

class TypedAllocator {
 public:
  // As Allocator::Allocate and Deallocate.
  template <typename T>
  static T* Allocate(Allocator* allocator, size_t num_elements,
                     const AllocationAttributes& /*attributes*/) {
    return allocator->Allocate<T>(num_elements);
  }
  template <typename T>
  static void Deallocate(Allocator* allocator, T* p, size_t num_elements) {
    allocator->Deallocate(p, num_elements);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TYPED_ALLOCATOR_H_
