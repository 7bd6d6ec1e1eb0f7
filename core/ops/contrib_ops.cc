// SPDX-License-Identifier: Apache-2.0
// Ops of tf.contrib: beam search, sampling images and texts, statistics of
// memory, factors of matrices.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// step_ids and parent_ids [time, batch, beam], lengths [batch, beam].
Status GatherTreeShape(InferenceContext* c) {
  ShapeHandle steps, lengths, row;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &steps));
  TF_RETURN_IF_ERROR(c->Merge(steps, c->input(1), &steps));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &lengths));
  TF_RETURN_IF_ERROR(c->Subshape(steps, 1, &row));
  TF_RETURN_IF_ERROR(c->Merge(row, lengths, &row));
  TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->Dim(steps, 0)), row, &steps));
  c->set_output(0, steps);
  return OkStatus();
}

// From data [batch, height, width, channels] and warp [batch, ..., 2] makes
// `output` [batch, ..., channels].
Status Sampled(InferenceContext* c, ShapeHandle* data, ShapeHandle* warp,
               ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, data));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, warp));
  if (!c->RankKnown(*warp)) {
    *output = c->UnknownShape();
    return OkStatus();
  }
  DimensionHandle batch, pair;
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(*warp, -1), 2, &pair));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(*data, 0), c->Dim(*warp, 0), &batch));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*data, 0, batch, data));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*warp, 0, batch, warp));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*warp, -1, pair, warp));
  return c->ReplaceDim(*warp, -1, c->Dim(*data, 3), output);
}

Status ResamplerShape(InferenceContext* c) {
  ShapeHandle data, warp, output;
  TF_RETURN_IF_ERROR(Sampled(c, &data, &warp, &output));
  c->set_output(0, output);
  return OkStatus();
}

Status ResamplerGradShape(InferenceContext* c) {
  ShapeHandle data, warp, output;
  TF_RETURN_IF_ERROR(Sampled(c, &data, &warp, &output));
  TF_RETURN_IF_ERROR(c->Merge(output, c->input(2), &output));
  c->set_output(0, data);
  c->set_output(1, warp);
  return OkStatus();
}

Status SkipGramShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  for (int i = 1; i < 6; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  const ShapeHandle pairs = c->Vector(c->UnknownDim());
  c->set_output(0, pairs);
  c->set_output(1, pairs);
  return OkStatus();
}

// Merges the rows of `indices` [entries, 2] and `values` [entries].
Status MergeEntries(InferenceContext* c, ShapeHandle indices,
                    ShapeHandle values) {
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(indices, 2, &indices));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(indices, 1), 2, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(values, 1, &values));
  return c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused);
}

// Makes the shapes of the matrices [rows, k, k] and the vectors [rows, k].
Status WALSComputePartialLhsAndRhsShape(InferenceContext* c) {
  // The ranks of the inputs, in their order.
  constexpr int kRanks[] = {2, 1, 0, 1, 2, 1, 1, 0, 0};
  ShapeHandle factors, unused;
  for (int i = 0; i < 9; ++i) {
    ShapeHandle* to = i == 0 ? &factors : &unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), kRanks[i], to));
  }
  TF_RETURN_IF_ERROR(MergeEntries(c, c->input(4), c->input(5)));
  DimensionHandle rows;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(7, &rows));
  const DimensionHandle size = c->Dim(factors, 1);
  c->set_output(0, c->MakeShape({rows, size, size}));
  c->set_output(1, c->MakeShape({rows, size}));
  return OkStatus();
}

// Merges what the matrices are multiplied over, where the transpositions are
// known.
Status MaskedMatmulShape(InferenceContext* c) {
  ShapeHandle a, b, indices, unused;
  DimensionHandle pair, inner;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(indices, 1), 2, &pair));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(4), 0, &unused));
  const Tensor* transpose_a = c->input_tensor(3);
  const Tensor* transpose_b = c->input_tensor(4);
  if (transpose_a != nullptr && transpose_b != nullptr) {
    const int of_a = transpose_a->base<bool>()[0] ? 0 : 1;
    const int of_b = transpose_b->base<bool>()[0] ? 1 : 0;
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, of_a), c->Dim(b, of_b), &inner));
  }
  c->set_output(0, c->Vector(c->Dim(indices, 0)));
  return OkStatus();
}

}  // namespace

REGISTER_OP("GatherTree")
    .Input("step_ids: T")
    .Input("parent_ids: T")
    .Input("sequence_length: T")
    .Output("beams: T")
    .Attr("T: {int32}")
    .SetShapeFn(GatherTreeShape)
    .Doc(
        "The ids of each beam from its last step to its first, found by the "
        "parents of steps: step_ids, parent_ids and beams [time, batch, beam]; "
        "-1 from sequence_length [batch, beam] on.");

REGISTER_OP("Resampler")
    .Input("data: T")
    .Input("warp: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .SetShapeFn(ResamplerShape)
    .Doc(
        "data [batch, height, width, channels] at the points (x, y) of warp "
        "[batch, ..., 2], bilinear between pixels and zeros around them: "
        "[batch, ..., channels].");

REGISTER_OP("ResamplerGrad")
    .Input("data: T")
    .Input("warp: T")
    .Input("grad_output: T")
    .Output("grad_data: T")
    .Output("grad_warp: T")
    .Attr("T: {half, float, double}")
    .SetShapeFn(ResamplerGradShape)
    .Doc(
        "The gradients of Resampler by data and warp, given that by its "
        "output.");

REGISTER_OP("SkipGramGenerateCandidates")
    .Input("input_tensor: T")
    .Input("min_skips: int32")
    .Input("max_skips: int32")
    .Input("start: int32")
    .Input("limit: int32")
    .Input("emit_self_as_target: bool")
    .Output("tokens: T")
    .Output("labels: T")
    .Attr("T: type")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(SkipGramShape)
    .Doc(
        "Pairs of a token and one at most min_skips to max_skips places from "
        "it, a number drawn for each of the `limit` tokens from `start` on: "
        "[pairs], [pairs] of a vector.");

REGISTER_OP("BytesInUse")
    .Output("out: int64")
    .SetIsStateful()
    .Touches("host")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("Bytes that the device's allocator has given and not got back: [].");

REGISTER_OP("BytesLimit")
    .Output("out: int64")
    .SetIsStateful()
    .Touches("host")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "Bytes that the device's allocator may give at most, 0 where it has "
        "no limit: [].");

REGISTER_OP("MaxBytesInUse")
    .Output("out: int64")
    .SetIsStateful()
    .Touches("host")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The most bytes that were ever in use at once: [].");

REGISTER_OP("WALSComputePartialLhsAndRhs")
    .Input("factors: float32")
    .Input("factor_weights: float32")
    .Input("unobserved_weights: float32")
    .Input("input_weights: float32")
    .Input("input_indices: int64")
    .Input("input_values: float32")
    .Input("entry_weights: float32")
    .Input("input_block_size: int64")
    .Input("input_is_transpose: bool")
    .Output("partial_lhs: float32")
    .Output("partial_rhs: float32")
    .Needs("unbounded memory")
    .SetShapeFn(WALSComputePartialLhsAndRhsShape)
    .Doc(
        "The parts of weighted normal equations that come from the entries of "
        "a sparse matrix: with w = input_weights[i] * factor_weights[j], or w "
        "of entry_weights [entries], for each entry v in row i < "
        "input_block_size and column j, partial_lhs [input_block_size, k, k] "
        "gets w f f^T and partial_rhs [input_block_size, k] gets "
        "(unobserved_weights + w) v f, f being row j of factors [columns, k].");

REGISTER_OP("MaskedMatmul")
    .Input("a: float32")
    .Input("b: float32")
    .Input("mask_indices: int64")
    .Input("transpose_a: bool")
    .Input("transpose_b: bool")
    .Output("prod_values: float32")
    .SetShapeFn(MaskedMatmulShape)
    .Doc(
        "Elements of the product of two matrices, each transposed first if "
        "so asked: prod_values [entries], at the places (row, column) of "
        "mask_indices [entries, 2].");

}  // namespace tensorwright
