// SPDX-License-Identifier: Apache-2.0
// One step of each optimizer on some rows of variables behind handles.

#include "core/framework/op.h"
#include "core/ops/training_shape.h"

namespace tensorwright {

REGISTER_OP("ResourceSparseApplyMomentum")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("momentum: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<2, 3>)
    .Doc(
        "ResourceApplyMomentum on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyKerasMomentum")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("momentum: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<2, 3>)
    .Doc(
        "ResourceApplyKerasMomentum on the rows indices [k] of variables [n, "
        "...], with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyAdagrad")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<2, 3>)
    .Doc(
        "ResourceApplyAdagrad on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyAdagradV2")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<2, 4>)
    .Doc(
        "ResourceApplyAdagradV2 on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyAdagradDA")
    .Input("var: resource")
    .Input("gradient_accumulator: resource")
    .Input("gradient_squared_accumulator: resource")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("global_step: int64")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<3, 3>)
    .Doc(
        "ResourceApplyAdagradDA on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyRMSProp")
    .Input("var: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<3, 7>)
    .Doc(
        "ResourceApplyRMSProp on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyCenteredRMSProp")
    .Input("var: resource")
    .Input("mg: resource")
    .Input("ms: resource")
    .Input("mom: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<4, 8>)
    .Doc(
        "ResourceApplyCenteredRMSProp on the rows indices [k] of variables [n, "
        "...], with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyAdadelta")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("accum_update: resource")
    .Input("lr: T")
    .Input("rho: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<3, 6>)
    .Doc(
        "ResourceApplyAdadelta on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyFtrl")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("linear: resource")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("lr_power: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<3, 3>)
    .Doc(
        "ResourceApplyFtrl on the rows indices [k] of variables [n, ...], with "
        "gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyFtrlV2")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("linear: resource")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("l2_shrinkage: T")
    .Input("lr_power: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<3, 3>)
    .Doc(
        "ResourceApplyFtrlV2 on the rows indices [k] of variables [n, ...], "
        "with gradients grad [k, ...]; variables behind handles.");

REGISTER_OP("ResourceSparseApplyProximalGradientDescent")
    .Input("var: resource")
    .Input("alpha: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<1, 4>)
    .Doc(
        "ResourceApplyProximalGradientDescent on the rows indices [k] of "
        "variables [n, ...], with gradients grad [k, ...]; variables behind "
        "handles.");

REGISTER_OP("ResourceSparseApplyProximalAdagrad")
    .Input("var: resource")
    .Input("accum: resource")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetIsStateful()
    .SetShapeFn(SparseApplyShape<2, 5>)
    .Doc(
        "ResourceApplyProximalAdagrad on the rows indices [k] of variables [n, "
        "...], with gradients grad [k, ...]; variables behind handles.");

}  // namespace tensorwright
