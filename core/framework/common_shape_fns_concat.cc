// SPDX-License-Identifier: Apache-2.0
// The shapes of concatenations and slices.
#include <vector>

#include "core/framework/common_shape_fns.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// Inputs [start, end) are joined along the value of input `dim_index`.
Status ConcatShapeHelper(InferenceContext* c, int start, int end,
                         int dim_index) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(dim_index), 0, &unused));
  const Tensor* axis_value = c->input_tensor(dim_index);

  // The rank that all inputs whose rank is known have.
  int32_t rank = InferenceContext::kUnknownRank;
  for (int i = start; i < end; ++i) {
    if (rank == InferenceContext::kUnknownRank) rank = c->Rank(c->input(i));
    if (rank != InferenceContext::kUnknownRank) {
      TF_RETURN_IF_ERROR(c->WithRank(c->input(i), rank, &unused));
    }
  }
  if (rank == 0) {
    return errors::InvalidArgument(
        "Can't concatenate scalars (use tf.stack instead), got shape []");
  }
  if (rank == InferenceContext::kUnknownRank || axis_value == nullptr) {
    c->set_output(0, rank == InferenceContext::kUnknownRank
                         ? c->UnknownShape()
                         : c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  int64_t axis;
  TF_RETURN_IF_ERROR(c->GetScalarFromTensor(axis_value, &axis));
  TF_RETURN_IF_ERROR(
      NormalizeAxis(c->NameOf(c->input(dim_index)), axis, rank, &axis));

  // Everything but the axis agrees; sizes along the axis add up.
  DimensionHandle sum = c->MakeDim(0);
  ShapeHandle merged = c->UnknownShapeOfRank(rank);
  for (int i = start; i < end; ++i) {
    const ShapeHandle input = c->input(i);
    DimensionHandle size = c->Dim(input, axis);
    TF_RETURN_IF_ERROR(c->Add(sum, size, &sum));
    if (!c->RankKnown(input)) continue;
    ShapeHandle rest;
    TF_RETURN_IF_ERROR(c->ReplaceDim(input, axis, c->UnknownDim(), &rest));
    if (const Status s = c->Merge(merged, rest, &merged); !s.ok()) {
      return errors::InvalidArgument(
          s.message(), ": all inputs must agree in every dimension but ", axis,
          ", ", c->NameOf(input), " does not");
    }
  }
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->ReplaceDim(merged, axis, sum, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

Status ConcatShape(InferenceContext* c, int num_inputs_to_concat) {
  return ConcatShapeHelper(c, 1, 1 + num_inputs_to_concat, 0);
}

Status ConcatV2Shape(InferenceContext* c) {
  return ConcatShapeHelper(c, 0, c->num_inputs() - 1, c->num_inputs() - 1);
}

Status SliceHelper(InferenceContext* c, ShapeHandle begin_value,
                   const Tensor* sizes_value, ShapeHandle* dims) {
  const ShapeHandle input = c->input(0);
  const int32_t rank = c->Rank(input);
  std::vector<DimensionHandle> result(rank);
  for (int i = 0; i < rank; ++i) {
    const DimensionHandle begin = c->Dim(begin_value, i);
    const DimensionHandle full = c->Dim(input, i);
    const int64_t size = sizes_value->dtype() == DT_INT32
                             ? sizes_value->base<int32_t>()[i]
                             : sizes_value->base<int64_t>()[i];
    if (size < -1) {
      return errors::InvalidArgument("size[", i, "] must be >= -1, got ", size);
    }
    if (size == -1) {
      // Up to the end; begin must not lie behind it.
      if (c->ValueKnown(full) && c->ValueKnown(begin) &&
          c->Value(begin) > c->Value(full)) {
        return errors::InvalidArgument("begin[", i, "] must be in [0, ",
                                       c->Value(full), "], got ",
                                       c->Value(begin));
      }
      TF_RETURN_IF_ERROR(c->Subtract(full, begin, &result[i]));
      continue;
    }
    // The kernel refuses a box that reaches beyond the input: programs build
    // such nodes, for example in branches that no run takes.
    result[i] = c->MakeDim(size);
  }
  *dims = c->MakeShape(result);
  return OkStatus();
}

Status SliceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), begin_shape, size_shape, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &size_shape));
  TF_RETURN_IF_ERROR(c->Merge(begin_shape, size_shape, &begin_shape));
  const DimensionHandle ndims = c->Dim(begin_shape, 0);
  if (c->ValueKnown(ndims)) {
    TF_RETURN_IF_ERROR(c->WithRank(input, c->Value(ndims), &input));
    c->SetInput(0, input);
  }
  if (c->RankKnown(input)) {
    DimensionHandle merged;
    TF_RETURN_IF_ERROR(c->WithValue(ndims, c->Rank(input), &merged));
  }
  const Tensor* sizes = c->input_tensor(2);
  const Tensor* begin = c->input_tensor(1);
  if (begin != nullptr) {
    // -1 reads as "not known" in a shape's values; the kernel refuses it.
    for (int64_t i = 0; i < begin->NumElements(); ++i) {
      const int64_t first = begin->dtype() == DT_INT32
                                ? begin->base<int32_t>()[i]
                                : begin->base<int64_t>()[i];
      if (first < -1) {
        return errors::InvalidArgument("begin[", i, "] must be >= 0, got ",
                                       first);
      }
    }
  }
  if (!c->RankKnown(input)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  ShapeHandle begin_value;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &begin_value));
  ShapeHandle out;
  if (sizes != nullptr) {
    TF_RETURN_IF_ERROR(SliceHelper(c, begin_value, sizes, &out));
  } else {
    // In the known part of the sizes, read as a shape, -1 ("to the end") and
    // "unknown" look the same, so only sizes >= 0 say something.
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &out));
    if (!c->RankKnown(out)) out = c->UnknownShapeOfRank(c->Rank(input));
  }
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
