// SPDX-License-Identifier: Apache-2.0
// The shapes of elementwise binary ops.
#include <algorithm>
#include <vector>

#include "core/framework/common_shape_fns.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// One output dimension: equal sizes, or one of them is 1.
Status BroadcastDim(InferenceContext* c, DimensionHandle x, DimensionHandle y,
                    DimensionHandle* out) {
  const bool x_known = c->ValueKnown(x), y_known = c->ValueKnown(y);
  if (x.SameHandle(y)) {
    *out = x;
  } else if (x_known && c->Value(x) == 1) {
    *out = y;
  } else if (y_known && c->Value(y) == 1) {
    *out = x;
  } else if (x_known && y_known) {
    return c->Merge(x, y, out);
  } else if (x_known || y_known) {
    // The unknown one must turn out to be 1 or this.
    *out = x_known ? x : y;
  } else {
    *out = c->UnknownDim();
  }
  return OkStatus();
}

}  // namespace

Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c,
                                            ShapeHandle shape_x,
                                            ShapeHandle shape_y,
                                            ShapeHandle* out) {
  if (!c->RankKnown(shape_x) || !c->RankKnown(shape_y)) {
    *out = c->UnknownShape();
    return OkStatus();
  }
  const int32_t rank_x = c->Rank(shape_x), rank_y = c->Rank(shape_y);
  const int32_t rank = std::max(rank_x, rank_y);
  std::vector<DimensionHandle> dims(rank);
  for (int i = 0; i < rank; ++i) {
    // The shapes are aligned at the last dimension; missing ones count as 1.
    const int at_x = i - (rank - rank_x), at_y = i - (rank - rank_y);
    if (at_x < 0) {
      dims[i] = c->Dim(shape_y, at_y);
    } else if (at_y < 0) {
      dims[i] = c->Dim(shape_x, at_x);
    } else if (!BroadcastDim(c, c->Dim(shape_x, at_x), c->Dim(shape_y, at_y),
                             &dims[i])
                    .ok()) {
      return errors::InvalidArgument(
          "Incompatible shapes: ", c->DebugString(shape_x), " vs. ",
          c->DebugString(shape_y), ", of ", c->NameOf(shape_x), " and ",
          c->NameOf(shape_y), ": Dimensions must be equal, but are ",
          c->Value(c->Dim(shape_x, at_x)), " and ",
          c->Value(c->Dim(shape_y, at_y)));
    }
  }
  *out = c->MakeShape(dims);
  return OkStatus();
}

Status BroadcastBinaryOpOutputShapeFn(InferenceContext* c, int output_index) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(
      BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), &out));
  c->set_output(output_index, out);
  return OkStatus();
}

Status BroadcastBinaryOpShapeFn(InferenceContext* c) {
  return BroadcastBinaryOpOutputShapeFn(c, 0);
}

}  // namespace shape_inference
}  // namespace tensorwright
