// SPDX-License-Identifier: Apache-2.0
// InferenceContext: making shapes and dimensions, also from values.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/framework/op_def.pb.h"
#include "core/framework/shape_inference.h"
#include "core/framework/shape_inference_internal.h"
#include "core/framework/tensor_shape.pb.h"

namespace tensorwright {
namespace shape_inference {

// ---- Shapes ----------------------------------------------------------------

ShapeHandle InferenceContext::UnknownShapeOfRank(int64_t rank) {
  if (rank < 0 || rank > TensorShape::MaxDimensions()) return UnknownShape();
  auto dims = NewDims(rank);
  for (DimensionHandle& dim : dims) dim = UnknownDim();
  return NewShape(dims);
}

ShapeHandle InferenceContext::Scalar() { return NewShape({}); }

ShapeHandle InferenceContext::Vector(DimensionOrConstant dim) {
  return MakeShape({dim});
}

ShapeHandle InferenceContext::Matrix(DimensionOrConstant dim1,
                                     DimensionOrConstant dim2) {
  return MakeShape({dim1, dim2});
}

ShapeHandle InferenceContext::CopyShape(
    absl::Span<const DimensionHandle> dims) {
  auto copy = NewDims(dims.size());
  std::copy(dims.begin(), dims.end(), copy.begin());
  return NewShape(copy);
}

ShapeHandle InferenceContext::MakeShape(
    std::initializer_list<DimensionOrConstant> dims) {
  auto copy = NewDims(dims.size());
  size_t i = 0;
  for (const DimensionOrConstant& dim : dims) copy[i++] = MakeDim(dim);
  return NewShape(copy);
}

Status InferenceContext::Subshape(ShapeHandle s, int64_t start,
                                  ShapeHandle* out) {
  return Subshape(s, start, std::numeric_limits<int64_t>::max(), out);
}

Status InferenceContext::Subshape(ShapeHandle s, int64_t start, int64_t end,
                                  ShapeHandle* out) {
  *out = ShapeHandle();
  const int64_t rank = Rank(s);
  if (start == 0 && (end >= rank) &&
      (RankKnown(s) || end == std::numeric_limits<int64_t>::max())) {
    *out = s;
    return OkStatus();
  }
  if (!RankKnown(s)) {
    *out = UnknownShape();
    return OkStatus();
  }
  const int64_t first = std::min(start < 0 ? start + rank : start, rank);
  const int64_t last = std::min(end < 0 ? end + rank : end, rank);
  if (first < 0 || last < 0 || first > last) {
    return errors::InvalidArgument(NameOf(s), " has no dimensions ", start,
                                   " up to ", end, ", got shape ",
                                   DebugString(s));
  }
  *out =
      NewShape(absl::MakeConstSpan(s->dims, rank).subspan(first, last - first));
  return OkStatus();
}

Status InferenceContext::Subshape(ShapeHandle s, int64_t start, int64_t end,
                                  int64_t stride, ShapeHandle* out) {
  *out = ShapeHandle();
  if (stride == 1) return Subshape(s, start, end, out);
  if (stride == 0) {
    return errors::InvalidArgument("the stride must not be 0");
  }
  if (!RankKnown(s)) {
    *out = UnknownShape();
    return OkStatus();
  }
  const int64_t rank = Rank(s);
  // Going backwards, the first dimension is taken before position -1, which
  // nobody can spell: an `end` beyond the negative rank stands for it.
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? rank : rank - 1;
  const auto position = [&](int64_t p) {
    return std::clamp(p < 0 ? p + rank : p, lowest, highest);
  };
  const int64_t first = position(start);
  const int64_t last = position(end);
  const int64_t step = std::clamp(stride, -rank - 1, rank + 1);
  std::vector<DimensionHandle> dims;
  for (int64_t d = first; step > 0 ? d < last : d > last; d += step) {
    dims.push_back(s->dims[d]);
  }
  *out = MakeShape(dims);
  return OkStatus();
}

Status InferenceContext::Concatenate(ShapeHandle s1, ShapeHandle s2,
                                     ShapeHandle* out) {
  *out = ShapeHandle();
  if (!RankKnown(s1) || !RankKnown(s2)) {
    *out = UnknownShape();
    return OkStatus();
  }
  const int32_t rank1 = Rank(s1), rank2 = Rank(s2);
  if (rank1 + rank2 > TensorShape::MaxDimensions()) {
    return errors::InvalidArgument("a shape must have at most ",
                                   TensorShape::MaxDimensions(),
                                   " dimensions, got ", rank1 + rank2);
  }
  auto dims = NewDims(rank1 + rank2);
  std::copy_n(s1->dims, rank1, dims.begin());
  std::copy_n(s2->dims, rank2, dims.begin() + rank1);
  *out = NewShape(dims);
  return OkStatus();
}

Status InferenceContext::ReplaceDim(ShapeHandle s, int64_t dim_index,
                                    DimensionHandle new_dim, ShapeHandle* out) {
  *out = ShapeHandle();
  if (!RankKnown(s)) {
    *out = UnknownShape();
    return OkStatus();
  }
  const int64_t rank = Rank(s);
  const int64_t index = dim_index < 0 ? dim_index + rank : dim_index;
  if (index < 0 || index >= rank) {
    return errors::InvalidArgument(NameOf(s), " has no dimension ", dim_index,
                                   ", got shape ", DebugString(s));
  }
  auto dims = NewDims(rank);
  std::copy_n(s->dims, rank, dims.begin());
  dims[index] = new_dim;
  *out = NewShape(dims);
  return OkStatus();
}

// ---- Shapes from values ----------------------------------------------------

Status InferenceContext::MakeShapeFromShapeTensor(int input_idx,
                                                  ShapeHandle* out) {
  return MakeShapeFromShapeTensorImpl(input_idx, false, out);
}

Status InferenceContext::MakeShapeFromShapeTensorTreatScalarAsUnknownShape(
    int input_idx, ShapeHandle* out) {
  return MakeShapeFromShapeTensorImpl(input_idx, true, out);
}

Status InferenceContext::MakeShapeFromShapeTensorImpl(int input_idx,
                                                      bool scalar_is_unknown,
                                                      ShapeHandle* out) {
  *out = ShapeHandle();
  if (input_idx < 0 || input_idx >= num_inputs()) {
    return errors::InvalidArgument("the op has no input ", input_idx,
                                   " to take a shape from: it has ",
                                   num_inputs());
  }
  const Tensor* value = input_tensor(input_idx);
  requested_input_tensor_as_partial_shape_[input_idx] = true;
  ShapeHandle shape_of_input = input(input_idx);
  if (scalar_is_unknown) {
    TF_RETURN_IF_ERROR(WithRankAtMost(shape_of_input, 1, &shape_of_input));
    if (!RankKnown(shape_of_input)) {
      *out = UnknownShape();
      return OkStatus();
    }
    if (Rank(shape_of_input) == 0) {
      int64_t scalar = -1;
      if (value != nullptr) {
        TF_RETURN_IF_ERROR(GetScalarFromTensor(value, &scalar));
      }
      if (scalar != -1) {
        return errors::InvalidArgument(
            NameOf(shape_of_input),
            " must be a vector, or a scalar -1 for the unknown shape, got the "
            "scalar ",
            scalar);
      }
      *out = UnknownShape();
      return OkStatus();
    }
  }
  if (value == nullptr &&
      static_cast<size_t>(input_idx) < input_tensors_as_shapes_.size() &&
      input_tensors_as_shapes_[input_idx].IsSet() &&
      RankKnown(input_tensors_as_shapes_[input_idx])) {
    *out = input_tensors_as_shapes_[input_idx];
    return OkStatus();
  }
  return MakeShapeFromTensor(value, shape_of_input, out);
}

Status InferenceContext::MakeShapeFromTensor(const Tensor* t,
                                             ShapeHandle tensor_shape,
                                             ShapeHandle* out) {
  *out = ShapeHandle();
  const std::string name = NameOf(tensor_shape);
  TF_RETURN_IF_ERROR(WithRank(tensor_shape, 1, &tensor_shape));
  const int64_t length = Value(Dim(tensor_shape, 0));
  if (length > TensorShape::MaxDimensions()) {
    return errors::InvalidArgument(
        name, " must have at most ", TensorShape::MaxDimensions(),
        " elements, one per dimension, got shape ", DebugString(tensor_shape));
  }
  if (t == nullptr) {
    *out = UnknownShapeOfRank(length);
    return OkStatus();
  }
  if (t->dims() != 1 || (t->dtype() != DT_INT32 && t->dtype() != DT_INT64)) {
    return errors::InvalidArgument(name,
                                   " must be a vector of int32 or int64, "
                                   "got shape ",
                                   t->shape().DebugString(), " of ",
                                   DataTypeString(t->dtype()));
  }
  if (t->NumElements() > TensorShape::MaxDimensions()) {
    return errors::InvalidArgument(
        name, " must have at most ", TensorShape::MaxDimensions(),
        " elements, one per dimension, got shape ", t->shape().DebugString());
  }
  const bool narrow = t->dtype() == DT_INT32;
  auto dims = NewDims(t->NumElements());
  int64_t product = 1;  // The product of the known sizes.
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = narrow ? t->base<int32_t>()[i] : t->base<int64_t>()[i];
    if (size < -1) {
      return errors::InvalidArgument(name, " must hold sizes >= -1, got ", size,
                                     " at position ", i);
    }
    if (size > 0 && __builtin_mul_overflow(product, size, &product)) {
      return errors::InvalidArgument(
          name, " describes more elements than an int64 can count");
    }
    dims[i] = MakeDim(size);
  }
  *out = NewShape(dims);
  return OkStatus();
}

Status InferenceContext::MakeShapeFromShapeProto(const TensorShapeProto& proto,
                                                 ShapeHandle* out) {
  *out = ShapeHandle();
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(
      PartialTensorShape::BuildPartialTensorShape(proto, &shape));
  return MakeShapeFromPartialTensorShape(shape, out);
}

Status InferenceContext::MakeShapeFromPartialTensorShape(
    const PartialTensorShape& partial_shape, ShapeHandle* out) {
  *out = partial_shape.unknown_rank()
             ? UnknownShape()
             : ShapeFromSizes(partial_shape.dim_sizes());
  return OkStatus();
}

Status InferenceContext::MakeShapeFromTensorShape(const TensorShape& shape,
                                                  ShapeHandle* out) {
  *out = ShapeFromSizes(shape.dim_sizes());
  return OkStatus();
}

// ---- Dimensions from values ------------------------------------------------

Status InferenceContext::GetScalarFromTensor(const Tensor* t, int64_t* val) {
  if (t->dims() != 0) {
    return errors::InvalidArgument("a scalar is needed, got shape ",
                                   t->shape().DebugString());
  }
  if (t->dtype() == DT_INT32) {
    *val = t->scalar_value<int32_t>();
  } else if (t->dtype() == DT_INT64) {
    *val = t->scalar_value<int64_t>();
  } else {
    return errors::InvalidArgument("a scalar int32 or int64 is needed, got ",
                                   DataTypeString(t->dtype()));
  }
  return OkStatus();
}

Status InferenceContext::MakeDimForScalarInput(int idx, DimensionHandle* out) {
  const Tensor* t = input_tensor(idx);
  if (t == nullptr) {
    *out = UnknownDim();
    return OkStatus();
  }
  int64_t value;
  TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &value));
  if (value < 0) {
    return errors::InvalidArgument(NameOf(input(idx)), " must be >= 0, got ",
                                   value);
  }
  *out = MakeDim(value);
  return OkStatus();
}

Status InferenceContext::MakeDimForScalarInputWithNegativeIndexing(
    int idx, int input_rank, DimensionHandle* out) {
  const Tensor* t = input_tensor(idx);
  if (t == nullptr) {
    *out = UnknownDim();
    return OkStatus();
  }
  int64_t value;
  TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &value));
  if (input_rank < 0) {
    *out = value < 0 ? UnknownDim() : MakeDim(value);
    return OkStatus();
  }
  if (value < -input_rank || value >= input_rank) {
    return errors::InvalidArgument(NameOf(input(idx)), " must be in [",
                                   -input_rank, ", ", input_rank, "), got ",
                                   value);
  }
  *out = MakeDim(value < 0 ? value + input_rank : value);
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
