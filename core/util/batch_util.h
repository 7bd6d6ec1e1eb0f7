// SPDX-License-Identifier: Apache-2.0
// Elements of a batch: rows of a tensor's first dimension.
#ifndef TENSORWRIGHT_CORE_UTIL_BATCH_UTIL_H_
#define TENSORWRIGHT_CORE_UTIL_BATCH_UTIL_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace batch_util {

// `parent` has one dimension more than `element` and, except for the first, the
// same sizes.  InvalidArgument if not, or if there is no row `index`.
Status CopyElementToSlice(const Tensor& element, Tensor* parent, int64_t index);
Status CopySliceToElement(const Tensor& parent, Tensor* element, int64_t index);
// The same, but it may leave the row in any state.
Status MaybeMoveSliceToElement(Tensor* parent, Tensor* element, int64_t index);

}  // namespace batch_util
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_BATCH_UTIL_H_
