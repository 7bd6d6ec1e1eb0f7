// SPDX-License-Identifier: Apache-2.0
// Ops that draw classes for losses over some classes only, and give the number
// of times that each class is expected to be drawn.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// true_classes [batch, num_true] -> [num_sampled], [batch, num_true],
// [num_sampled].
Status SamplerShape(InferenceContext* c) {
  int64_t num_true, num_sampled;
  TF_RETURN_IF_ERROR(c->GetAttr("num_true", &num_true));
  TF_RETURN_IF_ERROR(c->GetAttr("num_sampled", &num_sampled));
  ShapeHandle true_classes;
  DimensionHandle columns;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &true_classes));
  if (!c->WithValue(c->Dim(true_classes, 1), num_true, &columns).ok()) {
    return errors::InvalidArgument(
        "true_classes must have num_true columns, expected: ", num_true,
        " was: ", c->Value(c->Dim(true_classes, 1)));
  }
  const ShapeHandle sampled = c->Vector(num_sampled);
  c->set_output(0, sampled);
  c->set_output(1, c->Matrix(c->Dim(true_classes, 0), columns));
  c->set_output(2, sampled);
  return OkStatus();
}

Status AccidentalHitsShape(InferenceContext* c) {
  int64_t num_true;
  TF_RETURN_IF_ERROR(c->GetAttr("num_true", &num_true));
  ShapeHandle true_classes, unused;
  DimensionHandle columns;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &true_classes));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  if (num_true < 0 ||
      !c->WithValue(c->Dim(true_classes, 1), num_true, &columns).ok()) {
    return errors::InvalidArgument(
        "true_classes must have num_true columns, expected: ", num_true,
        " was: ", c->Value(c->Dim(true_classes, 1)));
  }
  const ShapeHandle hits = c->Vector(c->UnknownDim());
  for (int i = 0; i < 3; ++i) c->set_output(i, hits);
  return OkStatus();
}

}  // namespace

REGISTER_OP("UniformCandidateSampler")
    .Input("true_classes: int64")
    .Output("sampled_candidates: int64")
    .Output("true_expected_count: float")
    .Output("sampled_expected_count: float")
    .Attr("num_true: int >= 1")
    .Attr("num_sampled: int >= 1")
    .Attr("unique: bool")
    .Attr("range_max: int >= 1")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(SamplerShape)
    .Doc(
        "num_sampled classes of [0, range_max), each equally likely, and how "
        "often true_classes [batch, num_true] and they are expected to be "
        "drawn: [num_sampled], [batch, num_true], [num_sampled].");

REGISTER_OP("LogUniformCandidateSampler")
    .Input("true_classes: int64")
    .Output("sampled_candidates: int64")
    .Output("true_expected_count: float")
    .Output("sampled_expected_count: float")
    .Attr("num_true: int >= 1")
    .Attr("num_sampled: int >= 1")
    .Attr("unique: bool")
    .Attr("range_max: int >= 1")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(SamplerShape)
    .Doc(
        "As UniformCandidateSampler, with probabilities log((k + 2) / (k + 1)) "
        "/ log(range_max + 1), as of words by their rank: [num_sampled], "
        "[batch, num_true], [num_sampled].");

REGISTER_OP("LearnedUnigramCandidateSampler")
    .Input("true_classes: int64")
    .Output("sampled_candidates: int64")
    .Output("true_expected_count: float")
    .Output("sampled_expected_count: float")
    .Attr("num_true: int >= 1")
    .Attr("num_sampled: int >= 1")
    .Attr("unique: bool")
    .Attr("range_max: int >= 1")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(SamplerShape)
    .Doc(
        "As UniformCandidateSampler, with probabilities that grow with each "
        "time that a class was among true_classes: [num_sampled], [batch, "
        "num_true], [num_sampled].");

REGISTER_OP("ThreadUnsafeUnigramCandidateSampler")
    .Input("true_classes: int64")
    .Output("sampled_candidates: int64")
    .Output("true_expected_count: float")
    .Output("sampled_expected_count: float")
    .Attr("num_true: int >= 1")
    .Attr("num_sampled: int >= 1")
    .Attr("unique: bool")
    .Attr("range_max: int >= 1")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(SamplerShape)
    .Doc(
        "As LearnedUnigramCandidateSampler, which is as fast here: "
        "[num_sampled], [batch, num_true], [num_sampled].");

REGISTER_OP("FixedUnigramCandidateSampler")
    .Input("true_classes: int64")
    .Output("sampled_candidates: int64")
    .Output("true_expected_count: float")
    .Output("sampled_expected_count: float")
    .Attr("num_true: int >= 1")
    .Attr("num_sampled: int >= 1")
    .Attr("unique: bool")
    .Attr("range_max: int >= 1")
    .Attr("vocab_file: string = ''")
    .Attr("distortion: float = 1.0")
    .Attr("num_reserved_ids: int = 0")
    .Attr("num_shards: int >= 1 = 1")
    .Attr("shard: int >= 0 = 0")
    .Attr("unigrams: list(float) = []")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(SamplerShape)
    .Doc(
        "As UniformCandidateSampler, with probabilities in proportion to "
        "unigrams, or the last column of vocab_file, to the power of "
        "distortion: [num_sampled], [batch, num_true], [num_sampled].");

REGISTER_OP("AllCandidateSampler")
    .Input("true_classes: int64")
    .Output("sampled_candidates: int64")
    .Output("true_expected_count: float")
    .Output("sampled_expected_count: float")
    .Attr("num_true: int >= 1")
    .Attr("num_sampled: int >= 1")
    .Attr("unique: bool")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(SamplerShape)
    .Doc(
        "All classes of [0, num_sampled), each expected once, for tests: "
        "[num_sampled], [batch, num_true], [num_sampled].");

REGISTER_OP("ComputeAccidentalHits")
    .Input("true_classes: int64")
    .Input("sampled_candidates: int64")
    .Output("indices: int32")
    .Output("ids: int64")
    .Output("weights: float")
    .Attr("num_true: int")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetShapeFn(AccidentalHitsShape)
    .Doc(
        "Where sampled_candidates [n] are among true_classes [batch, "
        "num_true]: rows of the batch, places of candidates, and the lowest "
        "float, [hits] each.");

}  // namespace tensorwright
