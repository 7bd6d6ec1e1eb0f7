// SPDX-License-Identifier: Apache-2.0
// The shapes of reductions over axes.
#include <vector>

#include "core/framework/common_shape_fns.h"

namespace tensorwright {
namespace shape_inference {

Status ReductionShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle axes_shape;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &axes_shape));
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));

  const Tensor* axes = c->input_tensor(1);
  if (axes == nullptr || !c->RankKnown(input)) {
    c->set_output(0, keep_dims && c->RankKnown(input)
                         ? c->UnknownShapeOfRank(c->Rank(input))
                         : c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(input);
  std::vector<bool> reduced(rank, false);
  for (int64_t i = 0; i < axes->NumElements(); ++i) {
    const int64_t axis = axes->dtype() == DT_INT32 ? axes->base<int32_t>()[i]
                                                   : axes->base<int64_t>()[i];
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("Invalid reduction dimension ", axis,
                                     " for input with ", rank, " dimensions");
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < rank; ++i) {
    if (!reduced[i]) {
      dims.push_back(c->Dim(input, i));
    } else if (keep_dims) {
      dims.push_back(c->MakeDim(1));
    }
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
