// SPDX-License-Identifier: Apache-2.0
// Tensors put together and taken apart along one dimension.

#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status ConcatOpShape(InferenceContext* c) {
  return shape_inference::ConcatShape(c, c->num_inputs() - 1);
}

// As in TensorFlow, the kernel, not this, refuses inputs that are no vectors.
Status ConcatOffsetShape(InferenceContext* c) {
  for (int i = 1; i < c->num_inputs(); ++i) c->set_output(i - 1, c->input(i));
  return OkStatus();
}

// values: N of shape [1, ...], all sizes known; attr shape: [N, ...].
Status ParallelConcatShape(InferenceContext* c) {
  PartialTensorShape attr;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &attr));
  ShapeHandle shape, value;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(attr, &shape));
  if (!c->FullyDefined(shape)) {
    return errors::InvalidArgument("shape attr must be fully defined, got ",
                                   attr.DebugString());
  }
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
  if (c->Value(c->Dim(shape, 0)) != c->num_inputs()) {
    return errors::InvalidArgument("the first dimension of shape attr ",
                                   attr.DebugString(),
                                   " must be N = ", c->num_inputs());
  }
  TF_RETURN_IF_ERROR(c->ReplaceDim(shape, 0, c->MakeDim(1), &value));
  for (int i = 0; i < c->num_inputs(); ++i) {
    if (!c->FullyDefined(c->input(i))) {
      return errors::InvalidArgument("All input shapes must be fully defined.");
    }
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->Merge(c->input(i), value, &unused));
  }
  c->set_output(0, shape);
  return OkStatus();
}

void SetAllOutputs(InferenceContext* c, ShapeHandle shape) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, shape);
}

// split_dim: a scalar; value's size there is a multiple of num_split.
Status SplitShape(InferenceContext* c) {
  ShapeHandle value = c->input(1), unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(value, 1, &value));
  DimensionHandle split_dim;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(
      0, c->Rank(value), &split_dim));
  if (!c->ValueKnown(split_dim)) {
    SetAllOutputs(c, c->RankKnown(value) ? c->UnknownShapeOfRank(c->Rank(value))
                                         : c->UnknownShape());
    return OkStatus();
  }
  const int64_t dim = c->Value(split_dim);
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(value, dim + 1, &value));
  if (!c->RankKnown(value)) {
    SetAllOutputs(c, c->UnknownShape());
    return OkStatus();
  }
  DimensionHandle part;
  TF_RETURN_IF_ERROR(c->Divide(c->Dim(value, dim), c->num_outputs(),
                               /*evenly_divisible=*/true, &part));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->ReplaceDim(value, dim, part, &out));
  SetAllOutputs(c, out);
  return OkStatus();
}

int64_t SplitSizeAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DT_INT8:
      return t.base<int8_t>()[i];
    case DT_INT32:
      return t.base<int32_t>()[i];
    default:
      return t.base<int64_t>()[i];
  }
}

// Checks the sizes against the dimension that they split, and computes a size
// that is -1.
Status ResolveSplitSizes(InferenceContext* c, const Tensor& size_splits,
                         DimensionHandle total,
                         std::vector<DimensionHandle>* sizes) {
  if (size_splits.NumElements() != c->num_outputs()) {
    return errors::InvalidArgument(
        "Length of size_splits should be equal to num_outputs (",
        c->num_outputs(), "), got ", size_splits.NumElements());
  }
  int rest = -1;
  DimensionHandle sum = c->MakeDim(0);
  for (int i = 0; i < c->num_outputs(); ++i) {
    const int64_t size = SplitSizeAt(size_splits, i);
    if (size == -1 && rest < 0) {
      rest = i;
      sizes->push_back(c->UnknownDim());
      continue;
    }
    if (size < 0) {
      return errors::InvalidArgument(
          "size_splits must be >= 0 but for one -1, got ", size, " at ", i);
    }
    sizes->push_back(c->MakeDim(size));
    TF_RETURN_IF_ERROR(c->Add(sum, size, &sum));
  }
  if (!c->ValueKnown(total)) return OkStatus();
  if (rest >= 0 ? c->Value(sum) > c->Value(total)
                : c->Value(sum) != c->Value(total)) {
    return errors::InvalidArgument("can't split axis of size ", c->Value(total),
                                   " into pieces of sizes [",
                                   size_splits.SummarizeValue(16), "]");
  }
  if (rest >= 0) return c->Subtract(total, sum, &(*sizes)[rest]);
  return OkStatus();
}

// size_splits: a vector of num_split sizes; one of them may be -1.
Status SplitVShape(InferenceContext* c) {
  ShapeHandle value = c->input(0), unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(value, 1, &value));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  const Tensor* size_splits = c->input_tensor(1);
  DimensionHandle split_dim;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(
      2, c->Rank(value), &split_dim));
  if (!c->RankKnown(value)) {
    SetAllOutputs(c, c->UnknownShape());
    return OkStatus();
  }
  if (!c->ValueKnown(split_dim)) {
    SetAllOutputs(c, c->UnknownShapeOfRank(c->Rank(value)));
    return OkStatus();
  }
  const int64_t dim = c->Value(split_dim);
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(value, dim + 1, &value));
  std::vector<DimensionHandle> sizes;
  if (size_splits != nullptr) {
    TF_RETURN_IF_ERROR(
        ResolveSplitSizes(c, *size_splits, c->Dim(value, dim), &sizes));
  } else if (c->num_outputs() == 1) {
    sizes.push_back(c->Dim(value, dim));
  }
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->ReplaceDim(
        value, dim, sizes.empty() ? c->UnknownDim() : sizes[i], &out));
    c->set_output(i, out);
  }
  return OkStatus();
}

// N tensors of one shape get a dimension of N before dimension attr axis.
Status PackShape(InferenceContext* c) {
  ShapeHandle value;
  TF_RETURN_IF_ERROR(shape_inference::MergeInputs(c, 0, &value));
  if (!c->RankKnown(value)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  int64_t axis = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  TF_RETURN_IF_ERROR(
      shape_inference::NormalizeAxis("axis", axis, c->Rank(value) + 1, &axis));
  ShapeHandle before, after, out;
  TF_RETURN_IF_ERROR(c->Subshape(value, 0, axis, &before));
  TF_RETURN_IF_ERROR(c->Subshape(value, axis, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(c->num_inputs()), &out));
  TF_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}

// value has size num along attr axis.
Status UnpackShape(InferenceContext* c) {
  ShapeHandle value;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &value));
  if (!c->RankKnown(value)) {
    SetAllOutputs(c, c->UnknownShape());
    return OkStatus();
  }
  int64_t axis = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  TF_RETURN_IF_ERROR(
      shape_inference::NormalizeAxis("axis", axis, c->Rank(value), &axis));
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(
      c->WithValue(c->Dim(value, axis), c->num_outputs(), &unused));
  ShapeHandle before, after, out;
  TF_RETURN_IF_ERROR(c->Subshape(value, 0, axis, &before));
  TF_RETURN_IF_ERROR(c->Subshape(value, axis + 1, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, after, &out));
  SetAllOutputs(c, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Concat")
    .Input("concat_dim: int32")
    .Input("values: N*T")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .SetShapeFn(ConcatOpShape)
    .Doc(
        "concat_dim [], values N x [..., ni, ...] -> [..., sum of ni, ...], "
        "joined along dimension concat_dim.");

REGISTER_OP("ConcatV2")
    .Input("values: N*T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::ConcatV2Shape)
    .Doc(
        "values N x [..., ni, ...], axis [] -> [..., sum of ni, ...], joined "
        "along dimension axis.");

REGISTER_OP("ConcatOffset")
    .Input("concat_dim: int32")
    .Input("shape: N*shape_type")
    .Output("offset: N*shape_type")
    .Attr("N: int >= 2")
    .Attr("shape_type: {int32, int64} = DT_INT32")
    .SetShapeFn(ConcatOffsetShape)
    .Doc(
        "concat_dim [], shape N x [n] -> N x [n]: where each tensor of those "
        "shapes begins in their concatenation.");

REGISTER_OP("ParallelConcat")
    .Input("values: N*T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("shape: shape")
    .SetShapeFn(ParallelConcatShape)
    .Doc("values, N tensors [1, ...], one after the other: [N, ...].");

REGISTER_OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split*T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .SetShapeFn(SplitShape)
    .Doc(
        "split_dim [], value [..., num_split * k, ...] -> num_split x [..., k, "
        "...], cut along dimension split_dim.");

REGISTER_OP("SplitV")
    .Input("value: T")
    .Input("size_splits: Tlen")
    .Input("split_dim: int32")
    .Output("output: num_split*T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Attr("Tlen: {int8, int32, int64} = DT_INT64")
    .SetShapeFn(SplitVShape)
    .Doc(
        "value [..., n, ...], size_splits [num_split], split_dim [] -> parts "
        "of those sizes, cut along dimension split_dim.");

REGISTER_OP("Pack")
    .Input("values: N*T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .SetShapeFn(PackShape)
    .Doc(
        "values N x [...] -> the same with a dimension of N put in before "
        "dimension axis.");

REGISTER_OP("Unpack")
    .Input("value: T")
    .Output("output: num*T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .SetShapeFn(UnpackShape)
    .Doc(
        "value [..., num, ...] -> num x [..., ...]: its parts along dimension "
        "axis, without it.");

}  // namespace tensorwright
