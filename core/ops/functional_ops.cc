// SPDX-License-Identifier: Apache-2.0
// Ops that run functions of the graph's library.

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

namespace {

using shape_inference::InferenceContext;

// A gradient has the shape of the input that it belongs to, if the types show
// that the inputs begin with it.
Status SymbolicGradientShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, i < c->num_inputs() ? c->input(i) : c->UnknownShape());
  }
  return OkStatus();
}

// Uses the shapes of attr output_shapes, if it has any; results are checked
// against them.
Status DeclaredShapes(InferenceContext* c) {
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  const int n = c->num_outputs();
  if (!shapes.empty() && static_cast<int>(shapes.size()) != n) {
    return errors::InvalidArgument("output_shapes must have ", n,
                                   " shapes, one an output, got ",
                                   shapes.size());
  }
  for (int i = 0; i < n; ++i) {
    shape_inference::ShapeHandle shape = c->UnknownShape();
    if (!shapes.empty()) {
      TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &shape));
    }
    c->set_output(i, shape);
  }
  return OkStatus();
}

// For Case, whose branch_index is a scalar.
Status CaseShapes(InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return DeclaredShapes(c);
}

// For For: start, limit and delta are scalars; the body's results may have
// other shapes than its arguments.
Status ForShapes(InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  for (int i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return shape_inference::UnknownShape(c);
}

// Unknown sizes become 0, and an unknown rank becomes a scalar.
Status FakeShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  shape_inference::ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("SymbolicGradient")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .SetShapeFn(SymbolicGradientShape)
    .Doc(
        "The gradients of f, a function of N tensors with M results, by its "
        "arguments: input is the N arguments and then the gradients of the M "
        "results, output [shapes of the arguments].  The graph's library says "
        "which function computes them, or C++ that registered it for op f.");

REGISTER_OP("If")
    .Input("cond: Tcond")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tcond: type")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("then_branch: func")
    .Attr("else_branch: func")
    .Attr("output_shapes: list(shape) = []")
    .SetIsStateful()
    .SetShapeFn(DeclaredShapes)
    .Doc(
        "What then_branch, or else_branch, makes of the inputs: cond is a "
        "bool, a number that is not zero, a string or a tensor that is not "
        "empty.");

REGISTER_OP("StatelessIf")
    .Input("cond: Tcond")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tcond: type")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("then_branch: func")
    .Attr("else_branch: func")
    .Attr("output_shapes: list(shape) = []")
    .SetShapeFn(DeclaredShapes)
    .Doc(
        "What then_branch, or else_branch, makes of the inputs: cond is a "
        "bool, a number that is not zero, a string or a tensor that is not "
        "empty. Neither has effects.");

REGISTER_OP("Case")
    .Input("branch_index: int32")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("branches: list(func) >= 1")
    .Attr("output_shapes: list(shape) = []")
    .SetIsStateful()
    .SetShapeFn(CaseShapes)
    .Doc(
        "What function branch_index [] of branches makes of the inputs; the "
        "last one, if the index is no position in the list.");

REGISTER_OP("StatelessCase")
    .Input("branch_index: int32")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("branches: list(func) >= 1")
    .Attr("output_shapes: list(shape) = []")
    .SetShapeFn(CaseShapes)
    .Doc(
        "What function branch_index [] of branches makes of the inputs; the "
        "last one, if the index is no position in the list. None has effects.");

REGISTER_OP("While")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("cond: func")
    .Attr("body: func")
    .Attr("output_shapes: list(shape) = []")
    .Attr("parallel_iterations: int = 10")
    .SetIsStateful()
    .SetShapeFn(DeclaredShapes)
    .Doc(
        "The inputs, after body has made the next values of them as long as "
        "cond holds of them; cond gives what If's does.");

REGISTER_OP("StatelessWhile")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("cond: func")
    .Attr("body: func")
    .Attr("output_shapes: list(shape) = []")
    .Attr("parallel_iterations: int = 10")
    .SetShapeFn(DeclaredShapes)
    .Doc(
        "The inputs, after body has made the next values of them as long as "
        "cond holds of them; cond gives what If's does. Neither has effects.");

REGISTER_OP("For")
    .Input("start: int32")
    .Input("limit: int32")
    .Input("delta: int32")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("body: func")
    .SetShapeFn(ForShapes)
    .Doc(
        "The inputs, after body has made the next values of a number and them "
        "for each number start [], start + delta [], ... before limit [].");

REGISTER_OP("PartitionedCall")
    .Input("args: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("f: func")
    .Attr("config: string = ''")
    .Attr("config_proto: string = ''")
    .Attr("executor_type: string = ''")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "What f makes of args, without effects.  It runs on the device of the "
        "node; the "
        "configurations are kept and not read.");

REGISTER_OP("StatefulPartitionedCall")
    .Input("args: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("f: func")
    .Attr("config: string = ''")
    .Attr("config_proto: string = ''")
    .Attr("executor_type: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "What f makes of args.  It runs on the device of the node; the "
        "configurations are kept and not read.");

REGISTER_OP("RemoteCall")
    .Input("target: string")
    .Input("args: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "What f makes of args on the device that target [] names, one of the "
        "session's process.");

REGISTER_OP("FakeParam")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .SetShapeFn(FakeShape)
    .Doc(
        "Zeros of shape, where sizes that are not known are 0: what a branch "
        "gives for a result that only the other one has.");

REGISTER_OP("DeviceIndex")
    .Output("index: int32")
    .Attr("device_names: list(string)")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "Where the type of the node's device is in device_names; their number "
        "if it is not there: [].");

REGISTER_OP("ToBool")
    .Input("input: T")
    .Output("output: bool")
    .Attr("T: type")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "Is the scalar input not zero, or no empty string?  Of a tensor: has "
        "it elements?  [].");

}  // namespace tensorwright
