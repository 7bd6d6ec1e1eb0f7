// SPDX-License-Identifier: Apache-2.0
// One step of each optimizer, on variables in place.
//
// Inputs are, in order: `vars` variables of one shape; scalars; for ops that
// have it in the middle, the gradient.  The shape functions say where.

#include <initializer_list>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The first `vars` inputs have one shape, the output's.
Status MergeVariables(InferenceContext* c, int vars, ShapeHandle* merged) {
  *merged = c->input(0);
  for (int i = 1; i < vars; ++i) {
    TF_RETURN_IF_ERROR(c->Merge(*merged, c->input(i), merged));
  }
  return OkStatus();
}

// The gradient, input `grad`, has the variables' shape; the rest are scalars.
Status DenseShape(InferenceContext* c, int vars, int grad) {
  ShapeHandle shape, unused;
  TF_RETURN_IF_ERROR(MergeVariables(c, vars, &shape));
  for (int i = vars; i < c->num_inputs(); ++i) {
    if (i == grad) {
      TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
    } else {
      TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    }
  }
  c->set_output(0, shape);
  return OkStatus();
}

// The gradient, input `grad`, holds rows of the variables, [k, ...]; the input
// behind it says which, [k].  The rest are scalars.
Status SparseShape(InferenceContext* c, int vars, int grad) {
  ShapeHandle shape, indices, rows, unused;
  TF_RETURN_IF_ERROR(MergeVariables(c, vars, &shape));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(grad + 1), 1, &indices));
  TF_RETURN_IF_ERROR(c->Subshape(shape, 1, &rows));
  TF_RETURN_IF_ERROR(c->Concatenate(indices, rows, &rows));
  TF_RETURN_IF_ERROR(c->Merge(c->input(grad), rows, &unused));
  for (int i = vars; i < c->num_inputs(); ++i) {
    if (i == grad || i == grad + 1) continue;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  c->set_output(0, shape);
  return OkStatus();
}

Status ApplyGradientDescentShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/1, /*grad=*/2);
}
Status ApplyMomentumShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/2, /*grad=*/3);
}
Status ApplyAdamShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/3, /*grad=*/9);
}
Status ApplyAdagradShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/2, /*grad=*/3);
}
Status ApplyRMSPropShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/3, /*grad=*/7);
}
Status ApplyCenteredRMSPropShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/4, /*grad=*/8);
}
Status ApplyAdadeltaShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/3, /*grad=*/6);
}
Status ApplyFtrlShape(InferenceContext* c) {
  return DenseShape(c, /*vars=*/3, /*grad=*/3);
}
Status SparseApplyMomentumShape(InferenceContext* c) {
  return SparseShape(c, /*vars=*/2, /*grad=*/3);
}
Status SparseApplyAdagradShape(InferenceContext* c) {
  return SparseShape(c, /*vars=*/2, /*grad=*/3);
}

}  // namespace

REGISTER_OP("ApplyGradientDescent")
    .Input("var: Ref(T)")
    .Input("alpha: T")
    .Input("delta: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ApplyGradientDescentShape)
    .Doc(
        "var -= alpha [] * delta, all but alpha of one shape [...] -> var "
        "itself.");

REGISTER_OP("ApplyMomentum")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetShapeFn(ApplyMomentumShape)
    .Doc(
        "accum = momentum [] * accum + grad; var -= lr [] * accum; of one "
        "shape [...] -> var itself.");

REGISTER_OP("ApplyAdam")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("v: Ref(T)")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetShapeFn(ApplyAdamShape)
    .Doc(
        "One step of Adam with moments m and v of shape [...] and scalar rates "
        "-> var itself, [...].");

REGISTER_OP("ApplyAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .SetShapeFn(ApplyAdagradShape)
    .Doc(
        "accum += grad^2; var -= lr [] * grad / sqrt(accum); of one shape "
        "[...] -> var itself.");

REGISTER_OP("ApplyRMSProp")
    .Input("var: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ApplyRMSPropShape)
    .Doc(
        "ms = rho * ms + (1 - rho) * grad^2; mom = momentum * mom + lr * grad "
        "/ sqrt(ms + epsilon); var -= mom; of one shape [...] -> var itself.");

REGISTER_OP("ApplyCenteredRMSProp")
    .Input("var: Ref(T)")
    .Input("mg: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ApplyCenteredRMSPropShape)
    .Doc(
        "ApplyRMSProp with the variance ms - mg^2 in place of ms, where mg is "
        "the mean gradient; of one shape [...] -> var itself.");

REGISTER_OP("ApplyAdadelta")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("accum_update: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ApplyAdadeltaShape)
    .Doc(
        "One step of Adadelta with mean squares accum and accum_update of "
        "shape [...] -> var itself, [...].");

REGISTER_OP("ApplyFtrl")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("linear: Ref(T)")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("lr_power: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .SetShapeFn(ApplyFtrlShape)
    .Doc(
        "One step of FTRL-proximal with accum and linear of shape [...], "
        "regularised by l1 and l2 [] -> var itself, [...].");

REGISTER_OP("SparseApplyMomentum")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("momentum: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetShapeFn(SparseApplyMomentumShape)
    .Doc(
        "ApplyMomentum on the rows indices [k] of var [n, ...], with gradients "
        "grad [k, ...] -> var itself.");

REGISTER_OP("SparseApplyAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .SetShapeFn(SparseApplyAdagradShape)
    .Doc(
        "ApplyAdagrad on the rows indices [k] of var [n, ...], with gradients "
        "grad [k, ...] -> var itself.");

}  // namespace tensorwright
