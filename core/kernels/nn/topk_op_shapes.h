// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of TopK, for kernels of all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_TOPK_OP_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_TOPK_OP_SHAPES_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"

namespace tensorwright {

// Reads k from its tensor, which is in the host's memory.
inline Status ReadTopK(const Tensor& tensor, int64_t* k) {
  if (tensor.dims() != 0) {
    return errors::InvalidArgument("TopK: k must be scalar, got shape ",
                                   tensor.shape().DebugString());
  }
  *k = IntOf(tensor);
  return OkStatus();
}

// The shape of the outputs.
inline Status TopKShape(const TensorShape& x, int64_t k, TensorShape* out) {
  if (k < 0) return errors::InvalidArgument("TopK: Need k >= 0, got ", k);
  if (x.dims() < 1) {
    return errors::InvalidArgument("TopK: input must be >= 1-D, got shape ",
                                   x.DebugString());
  }
  const int64_t n = x.dim_size(x.dims() - 1);
  if (n < k) {
    return errors::InvalidArgument(
        "TopK: input must have at least k columns. Had ", n, ", needed ", k);
  }
  *out = x;
  out->set_dim(x.dims() - 1, k);
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_TOPK_OP_SHAPES_H_
