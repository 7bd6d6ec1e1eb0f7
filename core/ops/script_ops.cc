// SPDX-License-Identifier: Apache-2.0
// Ops that call a function of the program that built the graph.  Their kernels
// belong to the binding of its language: python/pywrap/script_ops.cc.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

REGISTER_OP("PyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .SetIsStateful()
    .Touches("python")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "What the Python function known as token returns for input, any "
        "tensors; it is called in every run.");

REGISTER_OP("PyFuncStateless")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Touches("python")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "PyFunc for a function whose result depends on input alone, so that "
        "equal calls may share one.");

}  // namespace tensorwright
