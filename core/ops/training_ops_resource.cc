// SPDX-License-Identifier: Apache-2.0
// One step of each optimizer, on variables behind handles.

#include "core/framework/op.h"
#include "core/ops/training_shape.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The variables are the first and the last input.
Status DelayCompensatedShape(InferenceContext* c) {
  ShapeHandle shape, shadow, unused;
  TF_RETURN_IF_ERROR(TrainedShape(c, 0, &shape));
  TF_RETURN_IF_ERROR(TrainedShape(c, 4, &shadow));
  TF_RETURN_IF_ERROR(c->Merge(shape, shadow, &shape));
  TF_RETURN_IF_ERROR(c->Merge(shape, c->input(2), &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  return c->WithRank(c->input(3), 0, &unused);
}

}  // namespace

REGISTER_OP("ResourceApplyGradientDescent")
    .Input("var: resource")
    .Input("alpha: T")
    .Input("delta: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<1, 2>)
    .Doc(
        "var -= alpha [] * delta, all but alpha of one shape [...]; variables "
        "behind handles.");

REGISTER_OP("ResourceApplyMomentum")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 3>)
    .Doc(
        "accum = momentum [] * accum + grad; var -= lr [] * accum; of one "
        "shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyKerasMomentum")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 3>)
    .Doc(
        "accum = momentum [] * accum - lr [] * grad; var += accum; of one "
        "shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyAdam")
    .Input("var: resource")
    .Input("m: resource")
    .Input("v: resource")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 9>)
    .Doc(
        "One step of Adam with moments m and v of shape [...] and scalar "
        "rates; variables behind handles.");

REGISTER_OP("ResourceApplyAdamWithAmsgrad")
    .Input("var: resource")
    .Input("m: resource")
    .Input("v: resource")
    .Input("vhat: resource")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<4, 10>)
    .Doc(
        "One step of Adam whose second moment, vhat, never shrinks; variables "
        "of one shape [...], scalar rates; variables behind handles.");

REGISTER_OP("ResourceApplyAdaMax")
    .Input("var: resource")
    .Input("m: resource")
    .Input("v: resource")
    .Input("beta1_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 8>)
    .Doc(
        "One step of Adam with the greatest gradient, which beta2 fades, in "
        "place of the second moment; variables of one shape [...], scalar "
        "rates; variables behind handles.");

REGISTER_OP("ResourceApplyAdagrad")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 3>)
    .Doc(
        "accum += grad^2; var -= lr [] * grad / sqrt(accum); of one shape "
        "[...]; variables behind handles.");

REGISTER_OP("ResourceApplyAdagradV2")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 4>)
    .Doc(
        "accum += grad^2; var -= lr [] * grad / (sqrt(accum) + epsilon []); of "
        "one shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyAdagradDA")
    .Input("var: resource")
    .Input("gradient_accumulator: resource")
    .Input("gradient_squared_accumulator: resource")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("global_step: int64")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 3>)
    .Doc(
        "One step of Adagrad with dual averaging: var is what the sums of "
        "gradients and of their squares say, regularised by l1 and l2 []; of "
        "one shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyRMSProp")
    .Input("var: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 7>)
    .Doc(
        "ms = rho * ms + (1 - rho) * grad^2; mom = momentum * mom + lr * grad "
        "/ sqrt(ms + epsilon); var -= mom; of one shape [...]; variables "
        "behind handles.");

REGISTER_OP("ResourceApplyCenteredRMSProp")
    .Input("var: resource")
    .Input("mg: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<4, 8>)
    .Doc(
        "ApplyRMSProp with the variance ms - mg^2 in place of ms, where mg is "
        "the mean gradient; of one shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyAdadelta")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("accum_update: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 6>)
    .Doc(
        "One step of Adadelta with mean squares accum and accum_update of "
        "shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyFtrl")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("linear: resource")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("lr_power: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 3>)
    .Doc(
        "One step of FTRL-proximal with accum and linear of shape [...], "
        "regularised by l1 and l2 []; variables behind handles.");

REGISTER_OP("ResourceApplyFtrlV2")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("linear: resource")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("l2_shrinkage: T")
    .Input("lr_power: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<3, 3>)
    .Doc(
        "ApplyFtrl for the gradient of the loss and of l2_shrinkage [] * "
        "var^2, of one shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyProximalGradientDescent")
    .Input("var: resource")
    .Input("alpha: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("delta: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<1, 4>)
    .Doc(
        "A step of gradient descent, var -= alpha * delta, then one towards 0 "
        "by l1 and l2; all but the scalars of one shape [...]; variables "
        "behind handles.");

REGISTER_OP("ResourceApplyProximalAdagrad")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 5>)
    .Doc(
        "A step of Adagrad, then one towards 0 by l1 and l2; all but the "
        "scalars of one shape [...]; variables behind handles.");

REGISTER_OP("ResourceApplyAddSign")
    .Input("var: resource")
    .Input("m: resource")
    .Input("lr: T")
    .Input("alpha: T")
    .Input("sign_decay: T")
    .Input("beta: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 6>)
    .Doc(
        "A step larger by sign_decay where the signs of grad and of its mean m "
        "agree: lr * (alpha + sign_decay * agreement) * grad; of one shape "
        "[...]; variables behind handles.");

REGISTER_OP("ResourceApplyPowerSign")
    .Input("var: resource")
    .Input("m: resource")
    .Input("lr: T")
    .Input("logbase: T")
    .Input("sign_decay: T")
    .Input("beta: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(ApplyShape<2, 6>)
    .Doc(
        "A step larger by exp(logbase * sign_decay) where the signs of grad "
        "and of its mean m agree; of one shape [...]; variables behind "
        "handles.");

REGISTER_OP("ApplyDelayCompensatedGradientDescent")
    .Input("var: resource")
    .Input("alpha: T")
    .Input("delta: T")
    .Input("lambda: T")
    .Input("shadow: resource")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(DelayCompensatedShape)
    .Doc(
        "var -= alpha [] * (delta + lambda [] * delta * (var - shadow)); "
        "shadow = var; of one shape [...], var and shadow behind handles.");

}  // namespace tensorwright
