// SPDX-License-Identifier: Apache-2.0
// Ops of tf.contrib: beam search, sampling images and texts, statistics of
// memory.

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

}  // namespace tensorwright
