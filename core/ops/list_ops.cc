// SPDX-License-Identifier: Apache-2.0
// Ops on lists of tensors, which loops of later versions fill and read: values
// of DT_VARIANT tensors, not resources.

#include <utility>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

Status ElementType(InferenceContext* c, DataType* dtype) {
  return c->GetAttr("element_dtype", dtype);
}

// The shape in input `input`: a vector of sizes, or -1.
Status ShapeInput(InferenceContext* c, int input, ShapeHandle* shape) {
  return c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(input, shape);
}

// Merges the known shape of the elements of list input `input` into *element.
Status MergeKnown(InferenceContext* c, int input, ShapeHandle* element) {
  const auto* known = c->input_handle_shapes_and_types(input);
  if (known == nullptr || known->empty()) return OkStatus();
  DataType dtype = DT_INVALID;
  TF_RETURN_IF_ERROR(ElementType(c, &dtype));
  if ((*known)[0].dtype != dtype) {
    return errors::InvalidArgument("element_dtype is ", DataTypeString(dtype),
                                   ", the list's elements are ",
                                   DataTypeString((*known)[0].dtype));
  }
  return c->Merge((*known)[0].shape, *element, element);
}

// Output 0 is a list with elements of this shape.
Status SetList(InferenceContext* c, ShapeHandle element) {
  DataType dtype = DT_INVALID;
  TF_RETURN_IF_ERROR(ElementType(c, &dtype));
  c->set_output(0, c->Scalar());
  c->set_output_handle_shapes_and_types(0, {ShapeAndType(element, dtype)});
  return OkStatus();
}

Status ScalarInput(InferenceContext* c, int input) {
  ShapeHandle unused;
  return c->WithRank(c->input(input), 0, &unused);
}

// EmptyTensorList and TensorListReserve.
Status NewList(InferenceContext* c) {
  ShapeHandle element;
  TF_RETURN_IF_ERROR(ShapeInput(c, 0, &element));
  TF_RETURN_IF_ERROR(ScalarInput(c, 1));
  return SetList(c, element);
}

Status PushBack(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  ShapeHandle value = c->input(1);
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &value));
  const auto* known = c->input_handle_shapes_and_types(0);
  return SetList(c, known != nullptr && !known->empty() ? (*known)[0].shape
                                                        : c->UnknownShape());
}

Status PushBackBatch(InferenceContext* c) {
  ShapeHandle lists, tensor;
  TF_RETURN_IF_ERROR(c->MergePrefix(c->input(1), c->input(0), &tensor, &lists));
  c->set_output(0, lists);
  return OkStatus();
}

Status PopBack(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  ShapeHandle element;
  TF_RETURN_IF_ERROR(ShapeInput(c, 1, &element));
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &element));
  c->set_output(1, element);
  const auto* known = c->input_handle_shapes_and_types(0);
  return SetList(c, known != nullptr && !known->empty() ? (*known)[0].shape
                                                        : c->UnknownShape());
}

Status GetItem(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  TF_RETURN_IF_ERROR(ScalarInput(c, 1));
  ShapeHandle element;
  TF_RETURN_IF_ERROR(ShapeInput(c, 2, &element));
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &element));
  c->set_output(0, element);
  return OkStatus();
}

Status SetItem(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  TF_RETURN_IF_ERROR(ScalarInput(c, 1));
  ShapeHandle value = c->input(2);
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &value));
  const auto* known = c->input_handle_shapes_and_types(0);
  return SetList(c, known != nullptr && !known->empty() ? (*known)[0].shape
                                                        : c->UnknownShape());
}

Status ListShape(InferenceContext* c) {
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known == nullptr || known->empty() || !c->RankKnown((*known)[0].shape)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  c->set_output(0, c->Vector(c->Rank((*known)[0].shape)));
  return OkStatus();
}

Status Resize(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  TF_RETURN_IF_ERROR(ScalarInput(c, 1));
  c->set_output(0, c->Scalar());
  const auto* known = c->input_handle_shapes_and_types(0);
  if (known != nullptr) c->set_output_handle_shapes_and_types(0, *known);
  return OkStatus();
}

// Output: rows [n], each of the elements' shape.
Status SetRows(InferenceContext* c, DimensionHandle n, ShapeHandle element) {
  ShapeHandle rows;
  TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(n), element, &rows));
  c->set_output(0, rows);
  return OkStatus();
}

Status Stack(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  ShapeHandle element;
  TF_RETURN_IF_ERROR(ShapeInput(c, 1, &element));
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &element));
  int64_t n = -1;
  TF_RETURN_IF_ERROR(c->GetAttr("num_elements", &n));
  return SetRows(c, c->MakeDim(n < 0 ? InferenceContext::kUnknownDim : n),
                 element);
}

Status Gather(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  ShapeHandle indices, element;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TF_RETURN_IF_ERROR(ShapeInput(c, 2, &element));
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &element));
  return SetRows(c, c->Dim(indices, 0), element);
}

// Checks that the rows of input `tensor` fit *element.
Status CheckRows(InferenceContext* c, int tensor, ShapeHandle element) {
  ShapeHandle rows, row, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(tensor), 1, &rows));
  TF_RETURN_IF_ERROR(c->Subshape(rows, 1, &row));
  return c->Merge(row, element, &unused);
}

Status FromTensor(InferenceContext* c) {
  ShapeHandle element;
  TF_RETURN_IF_ERROR(ShapeInput(c, 1, &element));
  TF_RETURN_IF_ERROR(CheckRows(c, 0, element));
  return SetList(c, element);
}

Status Scatter(InferenceContext* c) {
  ShapeHandle indices, element;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &indices));
  TF_RETURN_IF_ERROR(ShapeInput(c, 2, &element));
  TF_RETURN_IF_ERROR(CheckRows(c, 0, element));
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(indices, 0), c->Dim(c->input(0), 0), &unused));
  if (c->num_inputs() > 3) TF_RETURN_IF_ERROR(ScalarInput(c, 3));
  return SetList(c, element);
}

Status ScatterInto(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  ShapeHandle indices;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &indices));
  ShapeHandle element = c->UnknownShape();
  TF_RETURN_IF_ERROR(MergeKnown(c, 0, &element));
  TF_RETURN_IF_ERROR(CheckRows(c, 1, element));
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(indices, 0), c->Dim(c->input(1), 0), &unused));
  return SetList(c, element);
}

// Joins the elements end to end, so the size of dimension 0 is not known.
Status Concat(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ScalarInput(c, 0));
  ShapeHandle element;
  if (c->num_inputs() > 1) {
    TF_RETURN_IF_ERROR(ShapeInput(c, 1, &element));
  } else {
    PartialTensorShape shape;
    TF_RETURN_IF_ERROR(c->GetAttr("element_shape", &shape));
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &element));
  }
  c->set_output(1, c->Vector(InferenceContext::kUnknownDim));
  if (!c->RankKnown(element)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(element, 1, &element));
  ShapeHandle rest;
  TF_RETURN_IF_ERROR(c->Subshape(element, 1, &rest));
  return SetRows(c, c->UnknownDim(), rest);
}

Status Split(InferenceContext* c) {
  ShapeHandle tensor, lengths, element;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &tensor));
  TF_RETURN_IF_ERROR(ShapeInput(c, 1, &element));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &lengths));
  ShapeHandle any, unused;
  TF_RETURN_IF_ERROR(c->ReplaceDim(tensor, 0, c->UnknownDim(), &any));
  TF_RETURN_IF_ERROR(c->Merge(any, element, &unused));
  return SetList(c, element);
}

Status ConcatLists(InferenceContext* c) {
  ShapeHandle both;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &both));
  c->set_output(0, both);
  return OkStatus();
}

}  // namespace

REGISTER_OP("EmptyTensorList")
    .Input("element_shape: shape_type")
    .Input("max_num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .SetShapeFn(NewList)
    .Doc(
        "A list without elements; each will fit element_shape (-1: any).  It "
        "grows to max_num_elements [], or without a limit if that is "
        "negative.");

REGISTER_OP("TensorListReserve")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(NewList)
    .Doc(
        "A list of num_elements [] elements that are not set: reading one "
        "gives zeros of element_shape.");

REGISTER_OP("TensorListPushBack")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .SetShapeFn(PushBack)
    .Doc("The list with tensor [...] as one more element at its end.");

REGISTER_OP("TensorListPushBackBatch")
    .Input("input_handles: variant")
    .Input("tensor: element_dtype")
    .Output("output_handles: variant")
    .Attr("element_dtype: type")
    .SetShapeFn(PushBackBatch)
    .Doc(
        "Lists [s...] with the slices of tensor [s..., ...] as one more "
        "element each.");

REGISTER_OP("TensorListPopBack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("output_handle: variant")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Needs("unbounded memory")
    .SetShapeFn(PopBack)
    .Doc("The list less its last element, and that element: tensor [...].");

REGISTER_OP("TensorListLength")
    .Input("input_handle: variant")
    .Output("length: int32")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("How many elements the list has: [].");

REGISTER_OP("TensorListElementShape")
    .Input("input_handle: variant")
    .Output("element_shape: shape_type")
    .Attr("shape_type: {int32, int64}")
    .SetShapeFn(ListShape)
    .Doc(
        "What the elements' shapes fit: [rank] with -1 for unknown sizes, or "
        "the scalar -1.");

REGISTER_OP("TensorListResize")
    .Input("input_handle: variant")
    .Input("size: int32")
    .Output("output_handle: variant")
    .Needs("unbounded memory")
    .SetShapeFn(Resize)
    .Doc(
        "The first size [] elements of the list, with elements that are not "
        "set behind them where it is shorter.");

REGISTER_OP("TensorListGetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("element_shape: Tshape")
    .Output("item: element_dtype")
    .Attr("element_dtype: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(GetItem)
    .Doc(
        "Element index [] of the list: [...]; zeros of element_shape if it "
        "was not set.");

REGISTER_OP("TensorListSetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("item: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("resize_if_index_out_of_bounds: bool = false")
    .SetShapeFn(SetItem)
    .Doc(
        "The list with item [...] as element index []; longer than it was, if "
        "resize_if_index_out_of_bounds and the index is behind its end.");

REGISTER_OP("TensorListStack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Attr("num_elements: int = -1")
    .Needs("unbounded memory")
    .SetShapeFn(Stack)
    .Doc(
        "All elements, of one shape, as the rows of a tensor: [n, ...]; "
        "num_elements is n, or -1.");

REGISTER_OP("TensorListGather")
    .Input("input_handle: variant")
    .Input("indices: int32")
    .Input("element_shape: int32")
    .Output("values: element_dtype")
    .Attr("element_dtype: type")
    .Needs("unbounded memory")
    .SetShapeFn(Gather)
    .Doc("Elements indices [n] as the rows of a tensor: [n, ...].");

REGISTER_OP("TensorListFromTensor")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .SetShapeFn(FromTensor)
    .Doc("The rows of tensor [n, ...] as a list of n elements.");

REGISTER_OP("TensorListScatter")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(Scatter)
    .Doc(
        "A list with row i of tensor [n, ...] as element indices[i], as long "
        "as the largest of indices [n] needs.");

REGISTER_OP("TensorListScatterV2")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(Scatter)
    .Doc(
        "A list of num_elements [] (-1: as many as indices [n] need) with row "
        "i of tensor [n, ...] as element indices[i].");

REGISTER_OP("TensorListScatterIntoExistingList")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Needs("unbounded memory")
    .SetShapeFn(ScatterInto)
    .Doc(
        "The list with row i of tensor [n, ...] as element indices[i], longer "
        "than it was where indices [n] need that.");

REGISTER_OP("TensorListConcat")
    .Input("input_handle: variant")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Needs("unbounded memory")
    .SetShapeFn(Concat)
    .Doc(
        "The elements [n_i, ...] end to end: [n_0 + n_1 + ..., ...], and "
        "lengths n_i.");

REGISTER_OP("TensorListConcatV2")
    .Input("input_handle: variant")
    .Input("element_shape: shape_type")
    .Input("leading_dims: int64")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Needs("unbounded memory")
    .SetShapeFn(Concat)
    .Doc(
        "The elements [n_i, ...] end to end: [n_0 + n_1 + ..., ...], and "
        "lengths n_i; leading_dims has those of elements that are not set.");

REGISTER_OP("TensorListSplit")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Input("lengths: int64")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .SetShapeFn(Split)
    .Doc(
        "A list of pieces of tensor [n, ...], element i with the next "
        "lengths[i] of its rows.");

REGISTER_OP("TensorListConcatLists")
    .Input("input_a: variant")
    .Input("input_b: variant")
    .Output("output: variant")
    .Attr("element_dtype: type")
    .SetShapeFn(ConcatLists)
    .Doc("Lists [s...] of the elements of input_a's, and then input_b's.");

}  // namespace tensorwright
