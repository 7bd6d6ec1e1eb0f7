// SPDX-License-Identifier: Apache-2.0
// Assert, prints and the time; summaries are in logging_ops_summary.cc.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

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

// The input is a scalar; there is no output.
static Status PrintV2Shape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

REGISTER_OP("PrintV2")
    .Input("input: string")
    .Attr("output_stream: string = 'stderr'")
    .Attr("end: string = '\\n'")
    .SetIsStateful()
    .Touches("files written")
    .SetShapeFn(PrintV2Shape)
    .Doc(
        "Writes input [] and end to output_stream: stdout, stderr, log(info), "
        "log(warning), log(error), or a file, file://path, whose last line it "
        "becomes.");

REGISTER_OP("Timestamp")
    .Output("ts: double")
    .SetIsStateful()
    .Touches("host")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The seconds since the beginning of 1970, a scalar.");

}  // namespace tensorwright
