// SPDX-License-Identifier: Apache-2.0
// Reads elements of int32 or int64 tensors, in which ops take sizes, axes and
// indices.
#ifndef TENSORWRIGHT_CORE_UTIL_INT_ELEMENTS_H_
#define TENSORWRIGHT_CORE_UTIL_INT_ELEMENTS_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/framework/types.h"

namespace tensorwright {

// Element `i`, counted row by row; 0 <= i < t.NumElements().  The op's
// registration ensures that `t` is int32 or int64.
inline int64_t IntAt(const Tensor& t, int64_t i) {
  return t.dtype() == DT_INT32 ? t.base<int32_t>()[i] : t.base<int64_t>()[i];
}

// The value of a tensor of one element, which may be int16, too.
inline int64_t IntOf(const Tensor& t) {
  return t.dtype() == DT_INT16 ? *t.base<int16_t>() : IntAt(t, 0);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_INT_ELEMENTS_H_
