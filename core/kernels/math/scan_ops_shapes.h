// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of Cumsum and its kin, for kernels of all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_SCAN_OPS_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_SCAN_OPS_SHAPES_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"

namespace tensorwright {

// The input is seen as [outer, n, inner], and scanned along n.
struct ScanShape {
  int64_t outer = 1, n = 1, inner = 1;
};

// `axis` is in the host's memory.
inline Status ResolveScan(const TensorShape& x, const Tensor& axis_tensor,
                          ScanShape* out) {
  if (axis_tensor.dims() != 0) {
    return errors::InvalidArgument("ScanOp: axis must be a scalar, not ",
                                   axis_tensor.shape().DebugString());
  }
  const int64_t given = IntOf(axis_tensor);
  const int64_t axis = given < 0 ? given + x.dims() : given;
  if (axis < 0 || axis >= x.dims()) {
    return errors::InvalidArgument("ScanOp: Expected scan axis in the range [",
                                   -x.dims(), ", ", x.dims(), "), but got ",
                                   given);
  }
  for (int i = 0; i < x.dims(); ++i) {
    if (i != axis) (i < axis ? out->outer : out->inner) *= x.dim_size(i);
  }
  out->n = x.dim_size(static_cast<int>(axis));
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_SCAN_OPS_SHAPES_H_
