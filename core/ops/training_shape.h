// SPDX-License-Identifier: Apache-2.0
// The shape functions of optimizers' steps.
//
// Inputs are, in order: variables of one shape; scalars; somewhere among these
// the gradient, followed, if it holds rows, by their indices.
#ifndef TENSORWRIGHT_CORE_OPS_TRAINING_SHAPE_H_
#define TENSORWRIGHT_CORE_OPS_TRAINING_SHAPE_H_

#include "core/framework/op_def.pb.h"
#include "core/framework/shape_inference.h"
#include "core/ops/variable_shape.h"

namespace tensorwright {

// The shape of a reference, or the known shape of the variable behind a handle.
inline Status TrainedShape(shape_inference::InferenceContext* c, int input,
                           shape_inference::ShapeHandle* shape) {
  if (c->op_def().input_arg(input).type() == DT_RESOURCE) {
    return VariableShapeOf(c, input, "T", shape);
  }
  *shape = c->input(input);
  return OkStatus();
}

// The first `vars` inputs have one shape.
inline Status MergeVariables(shape_inference::InferenceContext* c, int vars,
                             shape_inference::ShapeHandle* merged) {
  TF_RETURN_IF_ERROR(TrainedShape(c, 0, merged));
  for (int i = 1; i < vars; ++i) {
    shape_inference::ShapeHandle shape;
    TF_RETURN_IF_ERROR(TrainedShape(c, i, &shape));
    TF_RETURN_IF_ERROR(c->Merge(*merged, shape, merged));
  }
  return OkStatus();
}

// Checks that the inputs from `vars` on are scalars, except `first` and
// `second`.
inline Status CheckTrainingScalars(shape_inference::InferenceContext* c,
                                   int vars, int first, int second) {
  for (int i = vars; i < c->num_inputs(); ++i) {
    if (i == first || i == second) continue;
    shape_inference::ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

// The gradient, input kGrad, has the variables' shape.  An op on references has
// an output, the first variable.
template <int kVars, int kGrad>
Status ApplyShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle shape;
  TF_RETURN_IF_ERROR(MergeVariables(c, kVars, &shape));
  TF_RETURN_IF_ERROR(c->Merge(shape, c->input(kGrad), &shape));
  TF_RETURN_IF_ERROR(CheckTrainingScalars(c, kVars, kGrad, kGrad));
  if (c->num_outputs() > 0) c->set_output(0, shape);
  return OkStatus();
}

// The gradient, input kGrad, holds rows of the variables, [k, ...]; the next
// input has their indices, [k].
template <int kVars, int kGrad>
Status SparseApplyShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle shape, indices, rows, unused;
  TF_RETURN_IF_ERROR(MergeVariables(c, kVars, &shape));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(kGrad + 1), 1, &indices));
  TF_RETURN_IF_ERROR(c->Subshape(shape, 1, &rows));
  TF_RETURN_IF_ERROR(c->Concatenate(indices, rows, &rows));
  TF_RETURN_IF_ERROR(c->Merge(c->input(kGrad), rows, &unused));
  // A gradient without dimensions has no rows, whatever the variables are.
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(kGrad), 1, &unused));
  TF_RETURN_IF_ERROR(CheckTrainingScalars(c, kVars, kGrad, kGrad + 1));
  if (c->num_outputs() > 0) c->set_output(0, shape);
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_OPS_TRAINING_SHAPE_H_
