// SPDX-License-Identifier: Apache-2.0
// The rule of ops that put slices at coordinates, in tensors (array_ops) and in
// variables (state_ops).
#ifndef TENSORWRIGHT_CORE_OPS_SCATTER_ND_SHAPE_H_
#define TENSORWRIGHT_CORE_OPS_SCATTER_ND_SHAPE_H_

#include "core/framework/shape_inference.h"

namespace tensorwright {

// indices: [outer..., k], k <= the rank of `whole`; updates: [outer...,
// whole.shape[k:]].  InvalidArgument if their known parts disagree.
inline Status CheckScatterNd(shape_inference::InferenceContext* c,
                             shape_inference::ShapeHandle indices,
                             shape_inference::ShapeHandle updates,
                             shape_inference::ShapeHandle whole) {
  shape_inference::ShapeHandle index_outer, update_outer, update_slice, slice,
      unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(indices, 1, &indices));
  const shape_inference::DimensionHandle k = c->Dim(indices, -1);
  if (!c->RankKnown(indices) || !c->ValueKnown(k) || !c->RankKnown(updates)) {
    return OkStatus();
  }
  const int32_t outer_dims = c->Rank(indices) - 1;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(updates, outer_dims, &updates));
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, outer_dims, &index_outer));
  TF_RETURN_IF_ERROR(c->Subshape(updates, 0, outer_dims, &update_outer));
  if (!c->Merge(index_outer, update_outer, &unused).ok()) {
    return errors::InvalidArgument("Dimensions [0,", outer_dims,
                                   ") of indices ", c->DebugString(indices),
                                   " must match dimensions [0,", outer_dims,
                                   ") of updates ", c->DebugString(updates));
  }
  if (!c->RankKnown(whole)) return OkStatus();
  if (c->Value(k) > c->Rank(whole)) {
    return errors::InvalidArgument(
        "the last dimension of indices must be <= the output's rank, got ",
        c->Value(k), " for output ", c->DebugString(whole));
  }
  TF_RETURN_IF_ERROR(c->Subshape(whole, c->Value(k), &slice));
  TF_RETURN_IF_ERROR(c->Subshape(updates, outer_dims, &update_slice));
  if (!c->Merge(slice, update_slice, &unused).ok()) {
    return errors::InvalidArgument(
        "Dimensions [", c->Value(k), ",", c->Rank(whole), ") of output ",
        c->DebugString(whole), " must match dimensions [", outer_dims, ",",
        c->Rank(updates), ") of updates ", c->DebugString(updates));
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_OPS_SCATTER_ND_SHAPE_H_
