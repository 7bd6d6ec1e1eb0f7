// SPDX-License-Identifier: Apache-2.0
// The elementwise cluster that a graph pass puts in the place of several nodes;
// see core/util/fused_program.h.  No user makes them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/util/fused_program.h"

namespace tensorwright {

REGISTER_OP("_FusedElementwise")
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("ops: list(func) >= 1")
    .Attr("names: list(string) >= 1")
    .Attr("arities: list(int) >= 1")
    .Attr("operands: list(int) >= 1")
    .Attr("results: list(int) >= 1")
    .SetShapeFn(FusedProgramShape)
    .Doc("What the elementwise ops in ops give for inputs [...], in one pass.");

}  // namespace tensorwright
