// SPDX-License-Identifier: Apache-2.0
// Index checks for kernels whose indices are data, from a tensor that the
// caller does not control.  Pure functions; any thread.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_BOUNDS_CHECK_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_BOUNDS_CHECK_H_

#include <type_traits>

namespace tensorwright {

// 0 <= index < limit, in one comparison; limit >= 0.  Types may differ: both
// are widened to the larger one first.
template <typename Index, typename Limit,
          typename = std::enable_if_t<std::is_integral<Index>::value &&
                                      std::is_integral<Limit>::value>>
constexpr bool FastBoundsCheck(const Index index, const Limit limit) {
  using Wide = std::make_unsigned_t<decltype(index + limit)>;
  return static_cast<Wide>(index) < static_cast<Wide>(limit);
}

namespace internal {

// Reads `x` once, so that the checked value is the one used, even if another
// thread writes it: copy an index with this before FastBoundsCheck, and use the
// copy.
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>
T SubtleMustCopy(const T& x) {
  return *const_cast<const volatile T*>(&x);
}

// The same for whatever can be an index; other types are copied as they are.
template <typename T>
const T SubtleMustCopyIfIntegral(const T& x) {
  if constexpr (std::is_integral<T>::value) {
    return SubtleMustCopy(x);
  } else {
    return x;
  }
}

}  // namespace internal

using internal::SubtleMustCopy;
using internal::SubtleMustCopyIfIntegral;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_BOUNDS_CHECK_H_
