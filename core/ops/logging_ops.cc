// SPDX-License-Identifier: Apache-2.0
// Assert and Print; summaries are in logging_ops_summary.cc.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

REGISTER_OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .SetIsStateful()
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc(
        "Fails with the first summarize elements of each of data, any tensors, "
        "unless condition [] is true.");

REGISTER_OP("Print")
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type)")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "input itself, [...] -> [...]; writes message and the first summarize "
        "elements of each of data to the error stream.");

}  // namespace tensorwright
