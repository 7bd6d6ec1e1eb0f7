// SPDX-License-Identifier: Apache-2.0
// Ops that put the same elements in another order: permute dimensions, or
// reverse some of them.

#include "absl/container/inlined_vector.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// y.shape[i] = x.shape[perm[i]].
Status TransposeShape(InferenceContext* c) {
  const ShapeHandle x = c->input(0);
  ShapeHandle perm_shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &perm_shape));
  const Tensor* perm = c->input_tensor(1);
  const DimensionHandle perm_size = c->Dim(perm_shape, 0);
  if (!c->RankKnown(x)) {
    // One number may also stand for the transposition of a scalar.
    const bool rank_known = c->ValueKnown(perm_size) && c->Value(perm_size) > 1;
    c->set_output(0, rank_known ? c->UnknownShapeOfRank(c->Value(perm_size))
                                : c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(x);
  // TensorFlow accepts a permutation of one element for a scalar.
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

// dims: one bool for each dimension of tensor.
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

// seq_lengths: one number for each position along attr batch_dim.
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

}  // namespace

REGISTER_OP("Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .SetShapeFn(TransposeShape)
    .Doc(
        "x [d0, ..., dn-1], perm [n] -> y with y.shape[i] = x.shape[perm[i]].");

REGISTER_OP("ConjugateTranspose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .SetShapeFn(TransposeShape)
    .Doc(
        "Transpose whose result is conjugated: x [d0, ..., dn-1], perm [n] -> "
        "y with y.shape[i] = x.shape[perm[i]].");

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
