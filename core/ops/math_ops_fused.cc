// SPDX-License-Identifier: Apache-2.0
// Products that graph passes put in the place of several nodes; see
// core/util/fused_program.h.  No user makes them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/util/fused_program.h"

namespace tensorwright {

REGISTER_OP("_FusedMatMul")
    .Input("a: T")
    .Input("b: T")
    .Input("bias: T")
    .Output("product: T")
    .Attr("T: {float}")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("ops: list(func) >= 2")
    .Attr("names: list(string) >= 2")
    .Attr("arities: list(int) >= 2")
    .Attr("operands: list(int) >= 2")
    .Attr("results: list(int) = [3]")
    .SetShapeFn(FusedProgramShape)
    .Doc(
        "activation(a x b + bias): [m, k] x [k, n] + [n] -> [m, n]; the "
        "activation is the third of ops, if there is one.");

}  // namespace tensorwright
