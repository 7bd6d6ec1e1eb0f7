// SPDX-License-Identifier: Apache-2.0
// Boxes that a region proposal network proposes.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"
#include "core/ops/image_ops_shapes.h"

namespace tensorwright {
namespace {

using image_shapes::DimensionHandle;
using image_shapes::InferenceContext;
using image_shapes::Scalars;
using image_shapes::ShapeHandle;

// scores: [n, height, width, anchors], bbox_deltas: [n, height, width, 4 *
// anchors], image_info: [n, 5], anchors: [..., 4] or [height, width, 4 *
// anchors], scalars.
Status ProposalsShape(InferenceContext* c) {
  ShapeHandle scores, deltas, info, anchors;
  DimensionHandle images, unused, coordinates;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &scores));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &deltas));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &info));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(3), 2, &anchors));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(anchors, 3, &anchors));
  TF_RETURN_IF_ERROR(Scalars(c, 4, 6));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(info, 1), 5, &unused));
  if (c->RankKnown(anchors) && c->Rank(anchors) == 2) {
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(anchors, 1), 4, &unused));
  }
  for (int axis = 1; axis < 3; ++axis) {
    TF_RETURN_IF_ERROR(
        c->Merge(c->Dim(scores, axis), c->Dim(deltas, axis), &unused));
  }
  TF_RETURN_IF_ERROR(c->Multiply(c->Dim(scores, 3), 4, &coordinates));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(deltas, 3), coordinates, &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(scores, 0), c->Dim(deltas, 0), &images));
  TF_RETURN_IF_ERROR(c->Merge(images, c->Dim(info, 0), &images));
  int64_t most;
  TF_RETURN_IF_ERROR(c->GetAttr("post_nms_topn", &most));
  if (most <= 0) {
    return errors::InvalidArgument("post_nms_topn must be > 0, got ", most);
  }
  c->set_output(0, c->MakeShape({images, c->MakeDim(most), c->MakeDim(4)}));
  c->set_output(1, c->Matrix(images, c->MakeDim(most)));
  return OkStatus();
}

}  // namespace

REGISTER_OP("GenerateBoundingBoxProposals")
    .Input("scores: float")
    .Input("bbox_deltas: float")
    .Input("image_info: float")
    .Input("anchors: float")
    .Input("nms_threshold: float")
    .Input("pre_nms_topn: int32")
    .Input("min_size: float")
    .Output("rois: float")
    .Output("roi_probabilities: float")
    .Attr("post_nms_topn: int = 300")
    .SetShapeFn(ProposalsShape)
    .Doc(
        "Decodes the pre_nms_topn best of scores [n, height, width, a] from "
        "bbox_deltas [n, height, width, 4 * a] and anchors [a, 4] or [height, "
        "width, 4 * a], cuts them off at the edges of image_info [n, 5] "
        "(height, width, scale, ...), and gives those that are large enough "
        "and overlap little -> boxes [n, post_nms_topn, 4] and their scores "
        "[n, post_nms_topn], padded with 0.");

}  // namespace tensorwright
