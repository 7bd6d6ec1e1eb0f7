// SPDX-License-Identifier: Apache-2.0
// gtl::InlinedVector, TensorFlow's name for abseil's.
#ifndef TENSORWRIGHT_CORE_LIB_GTL_INLINED_VECTOR_H_
#define TENSORWRIGHT_CORE_LIB_GTL_INLINED_VECTOR_H_

#include "absl/container/inlined_vector.h"

namespace tensorwright {
namespace gtl {

using absl::InlinedVector;

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GTL_INLINED_VECTOR_H_
