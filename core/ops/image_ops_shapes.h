// SPDX-License-Identifier: Apache-2.0
// Shape functions that ops of images share.
#ifndef TENSORWRIGHT_CORE_OPS_IMAGE_OPS_SHAPES_H_
#define TENSORWRIGHT_CORE_OPS_IMAGE_OPS_SHAPES_H_

#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace image_shapes {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Output 0 is [batch, height, width, channels]; height and width come from
// input `size`, an int32 vector of 2, whose elements must be positive.
inline Status SizedImages(InferenceContext* c, DimensionHandle batch, int size,
                          DimensionHandle channels) {
  ShapeHandle vector;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(size), 1, &vector));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(vector, 0), 2, &unused));
  DimensionHandle sides[2] = {c->UnknownDim(), c->UnknownDim()};
  const Tensor* value = c->input_tensor(size);
  if (value != nullptr) {
    for (int i = 0; i < 2; ++i) {
      const int32_t side = value->base<int32_t>()[i];
      if (side <= 0) {
        return errors::InvalidArgument(
            "the new height and width must be positive, got [",
            value->base<int32_t>()[0], ", ", value->base<int32_t>()[1], "]");
      }
      sides[i] = c->MakeDim(side);
    }
  }
  c->set_output(0, c->MakeShape({batch, sides[0], sides[1], channels}));
  return OkStatus();
}

// Inputs from `first` to `last` are scalars.
inline Status Scalars(InferenceContext* c, int first, int last) {
  for (int i = first; i <= last; ++i) {
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

// The shape of `input` with its last dimension known to be `n`.
inline Status WithLast(InferenceContext* c, ShapeHandle input, int64_t n,
                       ShapeHandle* out) {
  DimensionHandle last;
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(input, -1), n, &last));
  return c->ReplaceDim(input, -1, last, out);
}

}  // namespace image_shapes
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_OPS_IMAGE_OPS_SHAPES_H_
