// SPDX-License-Identifier: Apache-2.0
// Casts that say what they mean.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CASTS_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CASTS_H_

#include <type_traits>

#include "absl/base/casts.h"

namespace tensorwright {

// Reads the bits of a value as another type of that size.
using absl::bit_cast;

// Casts to a derived class that the object is known to have.
template <typename To, typename From>
To down_cast(From* f) {
  static_assert(std::is_base_of<From, std::remove_pointer_t<To>>::value,
                "no derived class");
  return static_cast<To>(f);
}

// Makes a conversion that needs no cast, and compiles for no other.
template <typename To, typename From>
To implicit_cast(const From& f) {
  return f;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CASTS_H_
