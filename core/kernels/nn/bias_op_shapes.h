// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of BiasAdd and its gradient, for kernels of all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_BIAS_OP_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_BIAS_OP_SHAPES_H_

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/tensor_format.h"

namespace tensorwright {

inline Status GetFormat(OpKernelConstruction* ctx, TensorFormat* format) {
  *format = FORMAT_NHWC;  // BiasAddV1 has no choice.
  if (!ctx->HasAttr("data_format")) return OkStatus();
  std::string text;
  TF_RETURN_IF_ERROR(ctx->GetAttr("data_format", &text));
  if (FormatFromString(text, format)) return OkStatus();
  return errors::InvalidArgument("BiasAdd: Invalid data format ", text);
}

// The sizes of value seen as [batch, inner...], with depth in its place.
struct BiasShape {
  int64_t outer = 1;  // The product of the dimensions before depth.
  int64_t depth = 1;
  int64_t inner = 1;  // The product of those after depth.
};

inline Status SplitAtDepth(const TensorShape& shape, TensorFormat format,
                           BiasShape* split) {
  if (shape.dims() < 2) {
    return errors::InvalidArgument(
        "BiasAdd: Input tensor must be at least 2D: ", shape.DebugString());
  }
  const int depth = format == FORMAT_NHWC ? shape.dims() - 1 : 1;
  for (int i = 0; i < shape.dims(); ++i) {
    int64_t& part = i < depth    ? split->outer
                    : i == depth ? split->depth
                                 : split->inner;
    part *= shape.dim_size(i);
  }
  return OkStatus();
}

inline Status CheckBias(const TensorShape& value, const TensorShape& bias,
                        const BiasShape& shape) {
  if (bias.dims() != 1) {
    return errors::InvalidArgument("BiasAdd: Biases must be 1D: ",
                                   bias.DebugString());
  }
  if (bias.dim_size(0) != shape.depth) {
    return errors::InvalidArgument(
        "BiasAdd: Must provide as many biases as the depth of the input "
        "tensor: ",
        bias.DebugString(), " vs. ", value.DebugString());
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_BIAS_OP_SHAPES_H_
