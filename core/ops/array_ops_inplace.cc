// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor written over, and the tensors that programs write over.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// x [rows, ...], i [n], v [n, ...] -> x's shape.
Status InplaceShape(InferenceContext* c) {
  ShapeHandle x, i, v, rows;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &x));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &i));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &v));
  TF_RETURN_IF_ERROR(c->ReplaceDim(v, 0, c->Dim(x, 0), &rows));
  TF_RETURN_IF_ERROR(c->Merge(x, rows, &x));
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(v, 0), c->Dim(i, 0), &n));
  c->set_output(0, x);
  return OkStatus();
}

Status EmptyShape(InferenceContext* c) {
  ShapeHandle unused, output;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &output));
  c->set_output(0, output);
  return OkStatus();
}

}  // namespace

REGISTER_OP("InplaceUpdate")
    .Input("x: T")
    .Input("i: int32")
    .Input("v: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(InplaceShape)
    .Doc(
        "x [rows, ...] with row i[j], modulo rows, replaced by v[j], for i [n] "
        "and v [n, ...]; y has the memory of x if nothing else reads x.");

REGISTER_OP("InplaceAdd")
    .Input("x: T")
    .Input("i: int32")
    .Input("v: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(InplaceShape)
    .Doc(
        "x [rows, ...] with v[j] added to row i[j], modulo rows, for i [n] and "
        "v [n, ...]; y has the memory of x if nothing else reads x.");

REGISTER_OP("InplaceSub")
    .Input("x: T")
    .Input("i: int32")
    .Input("v: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(InplaceShape)
    .Doc(
        "x [rows, ...] with v[j] taken from row i[j], modulo rows, for i [n] "
        "and v [n, ...]; y has the memory of x if nothing else reads x.");

REGISTER_OP("DeepCopy")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("A copy of x in memory of its own.");

REGISTER_OP("Empty")
    .Input("shape: int32")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("init: bool = false")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(EmptyShape)
    .Doc(
        "A tensor of sizes shape [n] -> zeros, or empty strings; without init "
        "its elements are unspecified, and zeros too.");

}  // namespace tensorwright
