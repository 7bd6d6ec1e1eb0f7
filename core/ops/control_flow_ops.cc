// SPDX-License-Identifier: Apache-2.0
// The primitives of cond and while_loop.

#include "absl/container/inlined_vector.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// pred: a scalar; both outputs are like data, and one of them is dead.
Status SwitchShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  for (int i = 0; i < 2; ++i) {
    c->set_output(i, c->input(0));
    if (const auto* handle_data = c->input_handle_shapes_and_types(0)) {
      c->set_output_handle_shapes_and_types(i, *handle_data);
    }
  }
  return OkStatus();
}

// index: a scalar; the variables may differ in shape.
Status RefSelectShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  ShapeHandle out = c->input(1);
  for (int i = 2; i < c->num_inputs(); ++i) {
    c->Relax(out, c->input(i), &out);
  }
  c->set_output(0, out);
  return OkStatus();
}

// The shape that all inputs have in common.
Status MergeShape(InferenceContext* c) {
  ShapeHandle out = c->input(0);
  for (int i = 1; i < c->num_inputs() && c->RankKnown(out); ++i) {
    const ShapeHandle in = c->input(i);
    if (c->Rank(in) != c->Rank(out)) {
      out = c->UnknownShape();
      break;
    }
    for (int d = 0; d < c->Rank(out); ++d) {
      if (c->Value(c->Dim(in, d)) != c->Value(c->Dim(out, d))) {
        TF_RETURN_IF_ERROR(c->ReplaceDim(out, d, c->UnknownDim(), &out));
      }
    }
  }
  c->set_output(0, out);
  c->set_output(1, c->Scalar());
  return OkStatus();
}

// A loop variable may change its shape, a constant of the loop may not.
Status EnterShape(InferenceContext* c) {
  bool is_constant = false;
  TF_RETURN_IF_ERROR(c->GetAttr("is_constant", &is_constant));
  c->set_output(0, is_constant ? c->input(0) : c->UnknownShape());
  if (const auto* handle_data = c->input_handle_shapes_and_types(0)) {
    c->set_output_handle_shapes_and_types(0, *handle_data);
  }
  return OkStatus();
}

Status LoopCondShape(InferenceContext* c) {
  return shape_inference::UnchangedShapeWithRank(c, 0);
}

}  // namespace

REGISTER_OP("Switch")
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .Attr("T: type")
    .SetShapeFn(SwitchShape)
    .Doc(
        "data [...] to output_true if pred [] is true, else to output_false; "
        "the other output is dead.");

REGISTER_OP("RefSwitch")
    .Input("data: Ref(T)")
    .Input("pred: bool")
    .Output("output_false: Ref(T)")
    .Output("output_true: Ref(T)")
    .Attr("T: type")
    .SetAllowsUninitializedInput()
    .SetShapeFn(SwitchShape)
    .Doc(
        "Variable data [...] to output_true if pred [] is true, else to "
        "output_false; the other output is dead.");

REGISTER_OP("RefSelect")
    .Input("index: int32")
    .Input("inputs: Ref(N*T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .SetAllowsUninitializedInput()
    .SetShapeFn(RefSelectShape)
    .Doc("Variable index [] of inputs N x [...].");

REGISTER_OP("Merge")
    .Input("inputs: N*T")
    .Output("output: T")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .SetShapeFn(MergeShape)
    .Doc("The first of inputs N x [...] that is not dead, and its index [].");

REGISTER_OP("RefMerge")
    .Input("inputs: Ref(N*T)")
    .Output("output: Ref(T)")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .SetShapeFn(MergeShape)
    .Doc(
        "The first of the variables inputs N x [...] that is not dead, and its "
        "index [].");

REGISTER_OP("Enter")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .SetShapeFn(EnterShape)
    .Doc(
        "data [...], inside the loop frame frame_name; with is_constant in "
        "each of its iterations.");

REGISTER_OP("RefEnter")
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Variable data [...], inside the loop frame frame_name; with "
        "is_constant in each of its iterations.");

REGISTER_OP("Exit")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShapeWithHandleData)
    .Doc("data [...], outside the loop frame that it comes from.");

REGISTER_OP("RefExit")
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Variable data [...], outside the loop frame that it comes from.");

REGISTER_OP("NextIteration")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShapeWithHandleData)
    .Doc("data [...], in the next iteration of its loop frame.");

REGISTER_OP("RefNextIteration")
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Variable data [...], in the next iteration of its loop frame.");

REGISTER_OP("LoopCond")
    .Input("input: bool")
    .Output("output: bool")
    .SetShapeFn(LoopCondShape)
    .Doc("input [] -> []: whether the loop goes on, once an iteration.");

REGISTER_OP("ControlTrigger")
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("Does nothing, and runs even if its control inputs are dead.");

REGISTER_OP("Abort")
    .Attr("error_msg: string = ''")
    .Attr("exit_without_error: bool = false")
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc(
        "Ends the run with an Aborted error that says error_msg; with "
        "exit_without_error, with a Cancelled error.");

}  // namespace tensorwright
