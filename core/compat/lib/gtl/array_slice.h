// SPDX-License-Identifier: Apache-2.0
// gtl::ArraySlice, TensorFlow's name for a span, which can be made shorter.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_ARRAY_SLICE_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_ARRAY_SLICE_H_

#include "absl/types/span.h"
#include "core/lib/gtl/inlined_vector.h"

namespace tensorwright {
namespace gtl {

namespace internal {
// A view: owns nothing.  Converts to and from absl::Span.
template <typename T>
class Slice : public absl::Span<T> {
 public:
  using absl::Span<T>::Span;
  constexpr Slice() = default;
  constexpr Slice(absl::Span<T> span) : absl::Span<T>(span) {}  // NOLINT

  void clear() { *this = Slice(); }
  // Each drops one element at an end; there must be an element.
  void pop_back() { this->remove_suffix(1); }
  void pop_front() { this->remove_prefix(1); }
};
}  // namespace internal

template <typename T>
using ArraySlice = internal::Slice<const T>;
template <typename T>
using MutableArraySlice = internal::Slice<T>;

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_ARRAY_SLICE_H_
