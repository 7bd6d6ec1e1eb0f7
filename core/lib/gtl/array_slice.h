// SPDX-License-Identifier: Apache-2.0
// gtl::ArraySlice, TensorFlow's name for a span.
#ifndef TENSORWRIGHT_CORE_LIB_GTL_ARRAY_SLICE_H_
#define TENSORWRIGHT_CORE_LIB_GTL_ARRAY_SLICE_H_

#include "absl/types/span.h"
#include "core/lib/gtl/inlined_vector.h"

namespace tensorwright {
namespace gtl {

template <typename T>
using ArraySlice = absl::Span<const T>;
template <typename T>
using MutableArraySlice = absl::Span<T>;

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GTL_ARRAY_SLICE_H_
