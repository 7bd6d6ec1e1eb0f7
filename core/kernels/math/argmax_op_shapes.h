// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of ArgMax and ArgMin, for kernels of all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_ARGMAX_OP_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_ARGMAX_OP_SHAPES_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"

namespace tensorwright {

// The input is seen as [outer, n, inner]; the output has `shape`.
struct ArgShape {
  int64_t outer = 1, n = 1, inner = 1;
  TensorShape shape;
};

// `dimension` is in the host's memory.
inline Status ResolveArg(const TensorShape& x, const Tensor& dimension,
                         ArgShape* out) {
  if (dimension.dims() != 0) {
    return errors::InvalidArgument(
        "ArgOp: dim must be a scalar, but received tensor of shape: ",
        dimension.shape().DebugString());
  }
  const int64_t given = IntOf(dimension);
  const int64_t axis = given < 0 ? given + x.dims() : given;
  if (axis < 0 || axis >= x.dims()) {
    return errors::InvalidArgument("ArgOp: Expected dimension in the range [",
                                   -x.dims(), ", ", x.dims(), "), but got ",
                                   given);
  }
  out->n = x.dim_size(static_cast<int>(axis));
  if (out->n == 0) {
    return errors::InvalidArgument("ArgOp: Reduction axis ", given,
                                   " is empty in shape ", x.DebugString());
  }
  for (int i = 0; i < x.dims(); ++i) {
    if (i == axis) continue;
    out->shape.AddDim(x.dim_size(i));
    (i < axis ? out->outer : out->inner) *= x.dim_size(i);
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_ARGMAX_OP_SHAPES_H_
