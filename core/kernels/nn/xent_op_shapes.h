// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of SoftmaxCrossEntropyWithLogits, for kernels of all
// devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_XENT_OP_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_XENT_OP_SHAPES_H_

#include <cstdint>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/bcast.h"

namespace tensorwright {

// The sizes that features and labels broadcast to; InvalidArgument unless that
// is a matrix.
inline Status XentSizes(const TensorShape& features, const TensorShape& labels,
                        int64_t* batch, int64_t* classes) {
  const BCast bcast(BCast::FromShape(features), BCast::FromShape(labels));
  if (!bcast.IsValid() || bcast.output_shape().size() != 2) {
    return errors::InvalidArgument(
        "SoftmaxCrossEntropyWithLogits: logits and labels must be "
        "broadcastable to rank 2: logits_size=",
        features.DebugString(), " labels_size=", labels.DebugString());
  }
  *batch = bcast.output_shape()[0];
  *classes = bcast.output_shape()[1];
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_XENT_OP_SHAPES_H_
