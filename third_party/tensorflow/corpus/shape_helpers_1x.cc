// SPDX-License-Identifier: Apache-2.0
// Shape functions with most of what InferenceContext offers, 1.x spellings.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {

using shape_inference::Dimension;
using shape_inference::DimensionHandle;
using shape_inference::DimensionOrConstant;
using shape_inference::InferenceContext;
using shape_inference::Shape;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;
using shape_inference::UnchangedShape;

namespace {

Status TileLikeShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  ShapeHandle multiples;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &multiples));
  if (c->RankKnown(input)) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &multiples));
    ShapeHandle m;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &m));
    TF_RETURN_IF_ERROR(c->WithRank(m, c->Rank(input), &m));
    std::vector<DimensionHandle> dims(c->Rank(input));
    for (int i = 0; i < c->Rank(input); ++i) {
      TF_RETURN_IF_ERROR(c->Multiply(c->Dim(input, i), c->Dim(m, i), &dims[i]));
    }
    c->set_output(0, c->MakeShape(dims));
    return Status::OK();
  }
  c->set_output(0, c->UnknownShape());
  return Status::OK();
}

}  // namespace

REGISTER_OP("CorpusTileShape")
    .Input("input: T")
    .Input("multiples: int32")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(TileLikeShape);

REGISTER_OP("CorpusRangeShape")
    .Input("start: int32")
    .Input("limit: int32")
    .Output("output: int32")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle unused;
      TF_RETURN_WITH_CONTEXT_IF_ERROR(c->WithRank(c->input(0), 0, &unused),
                                      " for 'start'");
      TF_RETURN_WITH_CONTEXT_IF_ERROR(c->WithRank(c->input(1), 0, &unused),
                                      " for 'limit'");
      const Tensor* start_val = c->input_tensor(0);
      const Tensor* limit_val = c->input_tensor(1);
      if (start_val == nullptr || limit_val == nullptr) {
        c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
        return Status::OK();
      }
      const int32 start = start_val->scalar<int32>()();
      const int32 limit = limit_val->scalar<int32>()();
      if (start > limit) {
        return errors::InvalidArgument("Requires start <= limit: ", start, "/",
                                       limit);
      }
      c->set_output(0, c->Vector(limit - start));
      return Status::OK();
    });

REGISTER_OP("CorpusManyShapes")
    .Input("values: N * float")
    .Input("size: int32")
    .Input("ids: int64")
    .Output("joined: float")
    .Output("sized: float")
    .Output("rest: float")
    .Output("many: M * float")
    .Attr("N: int >= 1")
    .Attr("M: int >= 1 = 2")
    .Attr("axis: int = 0")
    .SetShapeFn([](InferenceContext* c) {
      std::vector<ShapeHandle> values;
      TF_RETURN_IF_ERROR(c->input("values", &values));
      ShapeHandle cur = values.back();
      for (int i = static_cast<int>(values.size()) - 2; i >= 0; --i) {
        TF_RETURN_WITH_CONTEXT_IF_ERROR(c->Merge(values[i], cur, &cur),
                                        "From merging shape ", i,
                                        " with other shapes.");
      }
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(cur, 1, &cur));
      TF_RETURN_IF_ERROR(c->WithRankAtMost(cur, 4, &cur));
      DimensionHandle d;
      TF_RETURN_IF_ERROR(
          c->Multiply(c->Dim(cur, 0), static_cast<int64>(values.size()), &d));
      TF_RETURN_IF_ERROR(c->ReplaceDim(cur, 0, d, &cur));
      c->set_output(0, cur);

      DimensionHandle size;
      TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(c->num_inputs() - 2, &size));
      TF_RETURN_IF_ERROR(c->WithValue(size, c->Value(size), &size));
      DimensionHandle more, less, part, low, high;
      TF_RETURN_IF_ERROR(c->Add(size, 2, &more));
      TF_RETURN_IF_ERROR(c->Subtract(more, 1, &less));
      TF_RETURN_IF_ERROR(c->Divide(more, 1, true /* evenly */, &part));
      TF_RETURN_IF_ERROR(c->Min(more, less, &low));
      TF_RETURN_IF_ERROR(c->Max(more, less, &high));
      c->set_output(1, c->Matrix(low, high));

      ShapeHandle head, tail, ids;
      TF_RETURN_IF_ERROR(c->Subshape(cur, 0, 1, &head));
      TF_RETURN_IF_ERROR(c->Subshape(cur, 1, &tail));
      TF_RETURN_IF_ERROR(c->Concatenate(head, tail, &tail));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(c->num_inputs() - 1), 1, &ids));
      ShapeHandle prefix, whole;
      TF_RETURN_IF_ERROR(c->MergePrefix(tail, head, &whole, &prefix));
      c->set_output(2, whole);
      int32 m;
      TF_RETURN_IF_ERROR(c->GetAttr("M", &m));
      for (int i = 0; i < m; ++i) {
        c->set_output(3 + i, c->MakeShape({c->UnknownDim(), 3, c->MakeDim(4)}));
      }
      if (c->FullyDefined(whole) && c->ValueKnown(c->NumElements(whole)) &&
          c->Value(c->NumElements(whole)) < 0) {
        return errors::Internal(c->DebugString(whole), c->DebugString(d));
      }
      if (c->Rank(c->UnknownShapeOfRank(3)) != 3 ||
          c->RankKnown(c->UnknownShape()) || !c->Scalar().IsSet() ||
          c->num_outputs() != 3 + m ||
          c->Rank(c->UnknownShape()) != InferenceContext::kUnknownRank) {
        return errors::Internal("helpers");
      }
      return Status::OK();
    });

REGISTER_OP("CorpusNoKernelPair")
    .Input("a: float")
    .Input("b: float")
    .Output("c: float")
    .SetIsCommutative()
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

REGISTER_OP("CorpusHandleShape")
    .Input("handle: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* c) {
      auto* handle_data = c->input_handle_shapes_and_types(0);
      if (handle_data == nullptr || handle_data->empty()) {
        c->set_output(0, c->UnknownShape());
        return Status::OK();
      }
      const ShapeAndType& shape_and_type = (*handle_data)[0];
      DataType value_dtype;
      TF_RETURN_IF_ERROR(c->GetAttr("dtype", &value_dtype));
      if (shape_and_type.dtype != value_dtype) {
        return errors::InvalidArgument("dtype ", DataTypeString(value_dtype),
                                       " but the handle has ",
                                       DataTypeString(shape_and_type.dtype));
      }
      c->set_output(0, shape_and_type.shape);
      return Status::OK();
    });

}  // namespace tensorflow
