// SPDX-License-Identifier: Apache-2.0
// Counting and sorting numbers into bins.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// arr of any shape, a scalar size -> [size].
Status BincountShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const Tensor* size = c->input_tensor(1);
  if (size == nullptr) {
    c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
    return OkStatus();
  }
  const int32 bins = Flat<int32>(*size)[0];
  if (bins < 0) {
    return errors::InvalidArgument("Bincount: size must be >= 0, got ", bins);
  }
  c->set_output(0, c->Vector(bins));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Bincount")
    .Input("arr: int32")
    .Input("size: int32")
    .Input("weights: T")
    .Output("bins: T")
    .Attr("T: {int32, int64, float, double}")
    .SetShapeFn(BincountShape)
    .Doc(
        "How often each of 0, 1, ... size - 1 occurs in arr, or the sum of "
        "the weights beside it if weights is not empty: -> [size].");

REGISTER_OP("Bucketize")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: {int32, int64, float, double}")
    .Attr("boundaries: list(float)")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "How many of the ascending boundaries are <= each element, in the "
        "shape of input.");

}  // namespace tensorwright
