// SPDX-License-Identifier: Apache-2.0
// The same elements in another shape, or in another order.

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

// What is known of a shape with at most one unknown dimension.
struct KnownPart {
  DimensionHandle elements;  // Product of the known dimensions.
  int unknown = -1;          // The unknown one, if any.
  bool usable = false;       // At most one is unknown.
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

// Both shapes have the same number of elements, which often tells the one
// dimension that is not known.
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
          c->DebugString(out), " (", want_elements, " elements)");
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

// Then the ends of the range, scalars.
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

// Drops the dimensions in attr squeeze_dims, which must be 1; all that are 1 if
// there are none.
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
      if (!c->ValueKnown(dim)) {  // It may be 1, so the rank is open.
        c->set_output(0, c->UnknownShape());
        return OkStatus();
      }
      if (c->Value(dim) != 1) kept.push_back(dim);
    } else if (!drop[i]) {
      kept.push_back(dim);
    } else if (c->ValueKnown(dim) && c->Value(dim) != 1) {
      return errors::InvalidArgument("Can not squeeze dim[", i,
                                     "] of Squeeze, which must be 1, got ",
                                     c->Value(dim));
    }
  }
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(kept)));
  return OkStatus();
}

// y.shape[i] = x.shape[perm[i]].
Status TransposeShape(InferenceContext* c) {
  const ShapeHandle x = c->input(0);
  ShapeHandle perm_shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &perm_shape));
  const Tensor* perm = c->input_tensor(1);
  const DimensionHandle perm_size = c->Dim(perm_shape, 0);
  if (!c->RankKnown(x)) {
    // One number may stand for a scalar's transposition too.
    const bool rank_known = c->ValueKnown(perm_size) && c->Value(perm_size) > 1;
    c->set_output(0, rank_known ? c->UnknownShapeOfRank(c->Value(perm_size))
                                : c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(x);
  // TensorFlow lets a permutation of one element through for a scalar.
  DimensionHandle unused;
  if (rank >= 1) TF_RETURN_IF_ERROR(c->WithValue(perm_size, rank, &unused));
  if (perm == nullptr || perm->NumElements() != rank) {
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  absl::InlinedVector<DimensionHandle, 8> dims(rank);
  for (int i = 0; i < rank; ++i) {
    const int64_t from = perm->dtype() == DT_INT32 ? perm->base<int32_t>()[i]
                                                   : perm->base<int64_t>()[i];
    if (from < -rank || from >= rank) {
      return errors::InvalidArgument("perm dim ", from,
                                     " is out of range of input rank ", rank);
    }
    dims[i] = c->Dim(x, from < 0 ? from + rank : from);
  }
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(dims)));
  return OkStatus();
}

Status InvertPermutationShape(InferenceContext* c) {
  ShapeHandle x;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
  c->set_output(0, x);
  return OkStatus();
}

// dims: one bool a dimension of tensor.
Status ReverseShape(InferenceContext* c) {
  ShapeHandle tensor = c->input(0), dims;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &dims));
  const DimensionHandle n = c->Dim(dims, 0);
  if (c->ValueKnown(n)) {
    TF_RETURN_IF_ERROR(c->WithRank(tensor, c->Value(n), &tensor));
  }
  c->set_output(0, tensor);
  return OkStatus();
}

// axis: different dimensions of tensor.
Status ReverseV2Shape(InferenceContext* c) {
  const ShapeHandle tensor = c->input(0);
  ShapeHandle axis_shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &axis_shape));
  c->set_output(0, tensor);
  const Tensor* axes = c->input_tensor(1);
  if (axes == nullptr || !c->RankKnown(tensor)) return OkStatus();
  const int32_t rank = c->Rank(tensor);
  absl::InlinedVector<bool, 8> seen(rank, false);
  for (int64_t i = 0; i < axes->NumElements(); ++i) {
    const int64_t axis = axes->dtype() == DT_INT32 ? axes->base<int32_t>()[i]
                                                   : axes->base<int64_t>()[i];
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("'axis'[", i, "] = ", axis,
                                     " is out of valid range [", -rank, ", ",
                                     rank - 1, "]");
    }
    const int64_t normalized = axis < 0 ? axis + rank : axis;
    if (seen[normalized]) {
      return errors::InvalidArgument("axis ", normalized,
                                     " specified more than once.");
    }
    seen[normalized] = true;
  }
  return OkStatus();
}

// seq_lengths: one number a position along attr batch_dim.
Status ReverseSequenceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), lengths;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  int64_t seq_dim = 0, batch_dim = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("seq_dim", &seq_dim));
  TF_RETURN_IF_ERROR(c->GetAttr("batch_dim", &batch_dim));
  if (!c->RankKnown(input)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(input);
  if (batch_dim < 0 || batch_dim >= rank) {
    return errors::InvalidArgument("batch_dim must be in [0, ", rank, "), got ",
                                   batch_dim);
  }
  if (seq_dim < 0 || seq_dim >= rank) {
    return errors::InvalidArgument("seq_dim must be in [0, ", rank, "), got ",
                                   seq_dim);
  }
  if (seq_dim == batch_dim) {
    return errors::InvalidArgument("batch_dim == seq_dim == ", seq_dim);
  }
  DimensionHandle batch;
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(input, batch_dim), c->Dim(lengths, 0), &batch));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->ReplaceDim(input, batch_dim, batch, &out));
  c->set_output(0, out);
  return OkStatus();
}

// Between dtypes of different sizes a last dimension comes or goes.
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

REGISTER_OP("Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .SetShapeFn(TransposeShape)
    .Doc(
        "x [d0, ..., dn-1], perm [n] -> y with y.shape[i] = x.shape[perm[i]].");

REGISTER_OP("InvertPermutation")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .SetShapeFn(InvertPermutationShape)
    .Doc("A permutation of 0..n-1, [n] -> [n], that undoes x: y[x[i]] = i.");

REGISTER_OP("Reverse")
    .Input("tensor: T")
    .Input("dims: bool")
    .Output("output: T")
    .Attr(
        "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, "
        "bfloat16, half, float, double, complex64, complex128, string}")
    .SetShapeFn(ReverseShape)
    .Doc(
        "tensor of rank n, dims [n] -> the same shape, turned round along each "
        "dimension whose dims is true.");

REGISTER_OP("ReverseSequence")
    .Input("input: T")
    .Input("seq_lengths: Tlen")
    .Output("output: T")
    .Attr("seq_dim: int")
    .Attr("batch_dim: int = 0")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = DT_INT64")
    .SetShapeFn(ReverseSequenceShape)
    .Doc(
        "input [...], seq_lengths [input.shape[batch_dim]] -> the same shape: "
        "in slice i of batch_dim the first seq_lengths[i] positions of seq_dim "
        "turned round.");

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

REGISTER_OP("ReverseV2")
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr(
        "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, "
        "bfloat16, half, float, double, complex64, complex128, string}")
    .SetShapeFn(ReverseV2Shape)
    .Doc(
        "tensor [...], axis [k] -> the same shape, turned round along each "
        "dimension in axis.");

}  // namespace tensorwright
