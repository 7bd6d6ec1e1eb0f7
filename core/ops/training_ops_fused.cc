// SPDX-License-Identifier: Apache-2.0
// Optimizers' steps that a graph pass puts in the place of several nodes; see
// core/util/fused_program.h.  No user makes them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/util/fused_program.h"

namespace tensorwright {

REGISTER_OP("_FusedUpdate")
    .Input("vars: Ref(num_vars * T)")
    .Input("values: num_values * T")
    .Output("out: Ref(T)")
    .Attr("T: {float, double}")
    .Attr("num_vars: int >= 1")
    .Attr("num_values: int >= 2")
    .Attr("ops: list(func) >= 2")
    .Attr("names: list(string) >= 2")
    .Attr("arities: list(int) >= 2")
    .Attr("operands: list(int) >= 2")
    .Attr("results: list(int)")
    .SetShapeFn(FusedProgramShape)
    .Doc(
        "The step of the second of ops, ApplyX, on vars [...], with its other "
        "inputs in values; behind them a scalar that multiplies the gradient "
        "[...].");

}  // namespace tensorwright
