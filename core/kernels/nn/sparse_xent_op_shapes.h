// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of SparseSoftmaxCrossEntropyWithLogits, for kernels of
// all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_SPARSE_XENT_OP_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_SPARSE_XENT_OP_SHAPES_H_

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// features: [batch, classes], labels: [batch].
inline Status CheckSparseXent(const TensorShape& features,
                              const TensorShape& labels) {
  if (features.dims() != 2 || labels.dims() != 1 ||
      features.dim_size(0) != labels.dim_size(0)) {
    return errors::InvalidArgument(
        "SparseSoftmaxCrossEntropyWithLogits: logits must be [batch, classes] "
        "and labels [batch], got logits shape ",
        features.DebugString(), " and labels shape ", labels.DebugString());
  }
  if (features.dim_size(1) == 0) {
    return errors::InvalidArgument(
        "SparseSoftmaxCrossEntropyWithLogits: Must have at least one class, "
        "but got logits shape ",
        features.DebugString());
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_SPARSE_XENT_OP_SHAPES_H_
