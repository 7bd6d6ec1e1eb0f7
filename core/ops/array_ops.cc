// SPDX-License-Identifier: Apache-2.0
// Constants, placeholders, identities, and the shapes of tensors.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor.pb.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The shape of attr "value".
Status ConstShape(InferenceContext* c) {
  const TensorProto* value = nullptr;
  TF_RETURN_IF_ERROR(c->GetAttr("value", &value));
  TF_RETURN_IF_ERROR(TensorShape::IsValidShape(value->tensor_shape()));
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeProto(value->tensor_shape(), &shape));
  c->set_output(0, shape);
  return OkStatus();
}

// Takes attr "shape".  Graphs of old versions wrote [] for an unknown shape.
Status PlaceholderShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle out = c->UnknownShape();
  if (c->graph_def_version() > 21 || shape.dims() > 0) {
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

// A value with the shape of attr "shape" may be fed, so the default's shape
// tells no more.
Status PlaceholderWithDefaultShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle out, unused;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), out, &unused));
  c->set_output(0, out);
  return OkStatus();
}

Status IdentityNShape(InferenceContext* c) {
  for (int i = 0; i < c->num_inputs(); ++i) {
    c->set_output(i, c->input(i));
    if (const auto* handle_data = c->input_handle_shapes_and_types(i)) {
      c->set_output_handle_shapes_and_types(i, *handle_data);
    }
  }
  return OkStatus();
}

// The shapes of the outputs: one vector an input, as long as its rank.
Status ShapeShape(InferenceContext* c) {
  for (int i = 0; i < c->num_inputs(); ++i) {
    const int32_t rank = c->Rank(c->input(i));
    c->set_output(i, c->Vector(rank == InferenceContext::kUnknownRank
                                   ? InferenceContext::kUnknownDim
                                   : rank));
  }
  return OkStatus();
}

// dims: a vector, the output's shape; value: a scalar.
Status FillShape(InferenceContext* c) {
  ShapeHandle unused, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Const")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .SetShapeFn(ConstShape)
    .Doc("The value of attr value, of its dtype and shape.");

REGISTER_OP("ImmutableConst")
    .Output("tensor: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("memory_region_name: string")
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::ExplicitShape)
    .Doc(
        "A tensor of attr shape whose bytes are the start of the file "
        "memory_region_name.  Reads a file.");

REGISTER_OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = { unknown_rank: true }")
    .SetShapeFn(PlaceholderShape)
    .Doc("A tensor of attr shape that every run must feed.");

REGISTER_OP("PlaceholderV2")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Deprecated(23, "Placeholder now behaves the same as PlaceholderV2.")
    .SetShapeFn(shape_inference::ExplicitShape)
    .Doc("A tensor of attr shape that every run must feed.");

REGISTER_OP("PlaceholderWithDefault")
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .SetShapeFn(PlaceholderWithDefaultShape)
    .Doc("input, unless the run feeds another value of attr shape.");

REGISTER_OP("Identity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShapeWithHandleData)
    .Doc("input itself: [...] -> [...].");

REGISTER_OP("RefIdentity")
    .Input("input: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .SetAllowsUninitializedInput()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Variable input itself: [...] -> [...].");

REGISTER_OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 1")
    .SetShapeFn(IdentityNShape)
    .Doc("The inputs themselves: any tensors -> the same tensors.");

REGISTER_OP("StopGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShapeWithHandleData)
    .Doc("input itself, [...] -> [...], through which no gradient flows.");

REGISTER_OP("PreventGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("message: string = ''")
    .SetShapeFn(shape_inference::UnchangedShapeWithHandleData)
    .Doc(
        "input itself, [...] -> [...]; asking for its gradient is an error "
        "with attr message.");

REGISTER_OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(ShapeShape)
    .Doc("The shape of input: [d0, ..., dn-1] -> [n].");

REGISTER_OP("ShapeN")
    .Input("input: N*T")
    .Output("output: N*out_type")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(ShapeShape)
    .Doc("The shape of each input: N tensors of any rank n -> N vectors [n].");

REGISTER_OP("Size")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The number of elements of input: [...] -> [].");

REGISTER_OP("Rank")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The number of dimensions of input: [...] -> [].");

REGISTER_OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(FillShape)
    .Doc("dims [n], value [] -> a tensor of shape dims, every element value.");

REGISTER_OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShapeWithHandleData)
    .Doc("Zeros of x's shape and dtype: [...] -> [...].");

REGISTER_OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, "
        "uint32, int64, uint64, complex64, complex128, bool}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Ones of x's shape and dtype: [...] -> [...].");

REGISTER_OP("CheckNumerics")
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("message: string")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "tensor itself, [...] -> [...]; a NaN or an infinity in it is an error "
        "with attr message.");

}  // namespace tensorwright
