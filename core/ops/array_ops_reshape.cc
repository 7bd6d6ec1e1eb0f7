// SPDX-License-Identifier: Apache-2.0
// Ops that give the same elements another shape or another type.

#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The known part of a shape with at most one unknown dimension.
struct KnownPart {
  DimensionHandle elements;  // The product of the known dimensions.
  int unknown = -1;          // The unknown dimension, if any.
  bool usable = false;       // At most one dimension is unknown.
};

Status LookAt(InferenceContext* c, ShapeHandle s, KnownPart* part) {
  part->elements = c->MakeDim(1);
  for (int i = 0; i < c->Rank(s); ++i) {
    if (c->ValueKnown(c->Dim(s, i))) {
      TF_RETURN_IF_ERROR(
          c->Multiply(part->elements, c->Dim(s, i), &part->elements));
    } else if (part->unknown >= 0) {
      return OkStatus();
    } else {
      part->unknown = i;
    }
  }
  part->usable = true;
  return OkStatus();
}

// Both shapes have the same number of elements, which often gives the one
// unknown dimension.
Status ReshapeShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  c->set_output(0, out);
  if (!c->RankKnown(in) || !c->RankKnown(out)) return OkStatus();
  KnownPart have, want;
  TF_RETURN_IF_ERROR(LookAt(c, in, &have));
  TF_RETURN_IF_ERROR(LookAt(c, out, &want));
  if (!have.usable || !want.usable) return OkStatus();

  const int64_t have_elements = c->Value(have.elements);
  const int64_t want_elements = c->Value(want.elements);
  if (have.unknown < 0 && want.unknown < 0) {
    if (have_elements != want_elements) {
      return errors::InvalidArgument(
          "Cannot reshape a tensor with ", have_elements, " elements to shape ",
          c->DebugString(out), " (", want_elements,
          " elements). Input to reshape is a tensor with ", have_elements,
          " values, but the requested shape has ", want_elements);
    }
  } else if (have.unknown < 0) {
    if (want_elements == 0) return OkStatus();
    DimensionHandle inferred;
    TF_RETURN_IF_ERROR(c->Divide(have.elements, want_elements,
                                 /*evenly_divisible=*/true, &inferred));
    TF_RETURN_IF_ERROR(c->ReplaceDim(out, want.unknown, inferred, &out));
  } else if (want.unknown < 0) {
    if (have_elements == 0) return OkStatus();
    DimensionHandle unused;
    TF_RETURN_IF_ERROR(c->Divide(want.elements, have_elements,
                                 /*evenly_divisible=*/true, &unused));
  } else if (have_elements == want_elements && have_elements > 0) {
    TF_RETURN_IF_ERROR(
        c->ReplaceDim(out, want.unknown, c->Dim(in, have.unknown), &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

// The other inputs are the ends of the range, scalars.
Status QuantizedReshapeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(ReshapeShape(c));
  for (int i : {2, 3}) {
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    c->set_output(i - 1, c->Scalar());
  }
  return OkStatus();
}

// dim: one element, in [-rank-1, rank].
Status ExpandDimsShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  if (c->FullyDefined(c->input(1)) &&
      c->Value(c->NumElements(c->input(1))) != 1) {
    return errors::InvalidArgument("'dim' must have a single value, got shape ",
                                   c->DebugString(c->input(1)));
  }
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(in);
  const Tensor* dim_tensor = c->input_tensor(1);
  if (dim_tensor == nullptr) {
    c->set_output(0, c->UnknownShapeOfRank(rank + 1));
    return OkStatus();
  }
  int64_t dim = dim_tensor->dtype() == DT_INT32 ? *dim_tensor->base<int32_t>()
                                                : *dim_tensor->base<int64_t>();
  if (dim < -1 - rank || dim > rank) {
    return errors::InvalidArgument("dim ", dim, " not in the interval [",
                                   -1 - rank, ", ", rank, "].");
  }
  if (dim < 0) dim += rank + 1;
  ShapeHandle before, after, out;
  TF_RETURN_IF_ERROR(c->Subshape(in, 0, dim, &before));
  TF_RETURN_IF_ERROR(c->Subshape(in, dim, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(1), &out));
  TF_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}

// Drops the dimensions in attr squeeze_dims, which must be 1; without that
// attr's values, all that are 1.
Status SqueezeShape(InferenceContext* c) {
  std::vector<int32_t> squeeze_dims;
  TF_RETURN_IF_ERROR(c->GetAttr("squeeze_dims", &squeeze_dims));
  const ShapeHandle in = c->input(0);
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(in);
  absl::InlinedVector<bool, 8> drop(rank, false);
  for (int32_t dim : squeeze_dims) {
    if (dim < -rank || dim >= rank) {
      return errors::InvalidArgument("squeeze_dims[", dim, "] not in [", -rank,
                                     ", ", rank, ").");
    }
    drop[dim < 0 ? dim + rank : dim] = true;
  }
  absl::InlinedVector<DimensionHandle, 8> kept;
  for (int i = 0; i < rank; ++i) {
    const DimensionHandle dim = c->Dim(in, i);
    if (squeeze_dims.empty()) {
      if (!c->ValueKnown(dim)) {  // It may be 1, so the rank is unknown.
        c->set_output(0, c->UnknownShape());
        return OkStatus();
      }
      if (c->Value(dim) != 1) kept.push_back(dim);
    } else if (!drop[i]) {
      kept.push_back(dim);
    } else if (c->ValueKnown(dim) && c->Value(dim) != 1) {
      return errors::InvalidArgument("Can not squeeze dim[", i,
                                     "], expected a dimension of 1, got ",
                                     c->Value(dim));
    }
  }
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(kept)));
  return OkStatus();
}

// Between dtypes of different sizes a last dimension is added or removed.
Status BitcastShape(InferenceContext* c) {
  DataType from = DT_INVALID, to = DT_INVALID;
  TF_RETURN_IF_ERROR(c->GetAttr("T", &from));
  TF_RETURN_IF_ERROR(c->GetAttr("type", &to));
  const int from_size = DataTypeSize(from), to_size = DataTypeSize(to);
  ShapeHandle out = c->input(0);
  if (from_size == 0 || to_size == 0) {
    return errors::InvalidArgument("Cannot bitcast type ", DataTypeString(from),
                                   " to ", DataTypeString(to));
  }
  if (from_size < to_size) {
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(out, 1, &out));
    DimensionHandle unused;
    if (!c->WithValue(c->Dim(out, -1), to_size / from_size, &unused).ok()) {
      return errors::InvalidArgument(
          "Cannot bitcast from ", DataTypeString(from), " to ",
          DataTypeString(to), " due to shape: the last dimension must be ",
          to_size / from_size, ", got ", c->DebugString(c->Dim(out, -1)));
    }
    TF_RETURN_IF_ERROR(c->Subshape(out, 0, -1, &out));
  } else if (from_size > to_size) {
    TF_RETURN_IF_ERROR(
        c->Concatenate(out, c->Vector(from_size / to_size), &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Reshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .SetShapeFn(ReshapeShape)
    .Doc(
        "tensor [...], shape [n] -> the same elements in that shape, in which "
        "one -1 is worked out.");

REGISTER_OP("QuantizedReshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .SetShapeFn(QuantizedReshapeShape)
    .Doc("Reshape of codes, whose range stays as it is.");

REGISTER_OP("ExpandDims")
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = DT_INT32")
    .SetShapeFn(ExpandDimsShape)
    .Doc(
        "input [...], dim [] -> the same elements with a dimension of 1 put in "
        "before dimension dim.");

REGISTER_OP("Squeeze")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) = []")
    .SetShapeFn(SqueezeShape)
    .Doc(
        "input [...] -> the same elements without the dimensions of 1, or "
        "without those in squeeze_dims.");

REGISTER_OP("Bitcast")
    .Input("input: T")
    .Output("output: type")
    .Attr(
        "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, int8, "
        "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32, "
        "uint32, uint64}")
    .Attr(
        "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, "
        "int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, "
        "qint32, uint32, uint64}")
    .SetShapeFn(BitcastShape)
    .Doc(
        "The bytes of input as another type: [...] -> [...] of the same size, "
        "[..., n] of one n times smaller, or [..., n] -> [...] of one n times "
        "larger.");

}  // namespace tensorwright
