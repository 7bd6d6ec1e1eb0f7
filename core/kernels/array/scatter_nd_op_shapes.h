// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of ScatterNd and its kin, for kernels of all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_SCATTER_ND_OP_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_SCATTER_ND_OP_SHAPES_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// updates.shape = indices.shape[:-1] + whole[depth:].
inline Status CheckShapes(const Tensor& indices, const TensorShape& updates,
                          const TensorShape& whole) {
  if (indices.dims() < 1) {
    return errors::InvalidArgument(
        "Indices shape must have rank at least one. Found:",
        indices.shape().DebugString());
  }
  const int outer = indices.dims() - 1;
  const int64_t depth = indices.dim_size(outer);
  bool fits =
      depth <= whole.dims() && updates.dims() == outer + whole.dims() - depth;
  for (int d = 0; fits && d < updates.dims(); ++d) {
    fits = updates.dim_size(d) ==
           (d < outer ? indices.dim_size(d)
                      : whole.dim_size(static_cast<int>(d - outer + depth)));
  }
  if (!fits) {
    return errors::InvalidArgument(
        "Must have updates.shape = indices.shape[:-1] + shape[k:] with k = ",
        depth, ", got updates.shape: ", updates.DebugString(),
        ", indices.shape: ", indices.shape().DebugString(),
        ", shape: ", whole.DebugString());
  }
  if (whole.num_elements() == 0 && updates.num_elements() > 0) {
    return errors::InvalidArgument(
        "Indices and updates specified for empty output shape");
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_SCATTER_ND_OP_SHAPES_H_
