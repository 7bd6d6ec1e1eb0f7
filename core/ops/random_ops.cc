// SPDX-License-Identifier: Apache-2.0
// Random numbers.  Attrs seed and seed2 fix them; if both are 0, every session
// has different ones.

#include <utility>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// shape: the output's shape.
Status RandomShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status RandomUniformIntShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return RandomShape(c);
}

// shape: [n], parameters: [...] -> shape + the parameters' shape.
Status SamplesPerParameterShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  TF_RETURN_IF_ERROR(c->Concatenate(out, c->input(1), &out));
  c->set_output(0, out);
  return OkStatus();
}

// Four parameters: each has one element, or one for each row of the output.
Status ParameterizedShape(InferenceContext* c) {
  for (int i = 1; i < 5; ++i) {
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &unused));
  }
  return RandomShape(c);
}

// logits: [batch, classes], num_samples: a scalar.
Status MultinomialShape(InferenceContext* c) {
  ShapeHandle logits, unused;
  DimensionHandle num_samples;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &logits));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &num_samples));
  c->set_output(0, c->Matrix(c->Dim(logits, 0), num_samples));
  return OkStatus();
}

// index and max_index: [] or [n], seed: [3] or [n, 3] -> [] or, if there are
// rows anywhere, [n].
Status IndexShuffleShape(InferenceContext* c) {
  ShapeHandle index, seed, max_index;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &index));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &seed));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(seed, 2, &seed));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &max_index));
  DimensionHandle rows = c->UnknownDim(), unused;
  if (c->RankKnown(seed)) {
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(seed, -1), 3, &unused));
  }
  bool has_rows = false, is_known = true;
  for (const auto& [shape, rank] :
       {std::pair(index, 1), std::pair(seed, 2), std::pair(max_index, 1)}) {
    if (!c->RankKnown(shape)) {
      is_known = false;
    } else if (c->Rank(shape) == rank) {
      has_rows = true;
      TF_RETURN_IF_ERROR(c->Merge(rows, c->Dim(shape, 0), &rows));
    }
  }
  c->set_output(0, has_rows   ? c->Vector(rows)
                   : is_known ? c->Scalar()
                              : c->UnknownShape());
  return OkStatus();
}

}  // namespace

REGISTER_OP("RandomUniform")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(RandomShape)
    .Doc(
        "Numbers of uniform distribution in [0, 1): shape [n] -> a tensor of "
        "that shape.");

REGISTER_OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(RandomUniformIntShape)
    .Doc(
        "Integers of uniform distribution in [minval, maxval): shape [n], two "
        "scalars -> a tensor of that shape.");

REGISTER_OP("RandomStandardNormal")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(RandomShape)
    .Doc(
        "Numbers of normal distribution, mean 0, deviation 1: shape [n] -> a "
        "tensor of that shape.");

REGISTER_OP("TruncatedNormal")
    .Input("shape: T")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(RandomShape)
    .Doc(
        "Numbers of normal distribution, mean 0, deviation 1, none beyond 2 "
        "deviations: shape [n] -> a tensor of that shape.");

REGISTER_OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: type")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "value [n, ...] -> the same slices along the first dimension in random "
        "order.");

REGISTER_OP("Multinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Output("output: output_dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(MultinomialShape)
    .Doc(
        "logits [batch, classes], num_samples [] -> classes drawn at random by "
        "exp(logits): [batch, num_samples].");

REGISTER_OP("ParameterizedTruncatedNormal")
    .Input("shape: T")
    .Input("means: dtype")
    .Input("stdevs: dtype")
    .Input("minvals: dtype")
    .Input("maxvals: dtype")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(ParameterizedShape)
    .Doc(
        "Numbers of normal distribution between two bounds: shape [n], its "
        "first size the number of batches; four parameters, each [], [1] or "
        "[batches] -> a tensor of that shape.");

REGISTER_OP("RandomGamma")
    .Input("shape: S")
    .Input("alpha: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("T: {half, float, double}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(SamplesPerParameterShape)
    .Doc(
        "Numbers of gamma distribution with scale 1: shape [n], alpha [...] -> "
        "[shape..., ...], as many samples for each alpha as the shape says.");

REGISTER_OP("RandomGammaGrad")
    .Input("alpha: T")
    .Input("sample: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "The derivative by alpha of a sample of gamma distribution with scale "
        "1 whose quantile stays the same, with broadcasting.");

REGISTER_OP("RandomPoisson")
    .Input("shape: S")
    .Input("rate: dtype")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("dtype: {half, float, double}")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(SamplesPerParameterShape)
    .Doc(
        "Numbers of Poisson distribution: shape [n], rate [...] -> [shape..., "
        "...], as many samples for each rate as the shape says.");

REGISTER_OP("RandomPoissonV2")
    .Input("shape: S")
    .Input("rate: R")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("R: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(SamplesPerParameterShape)
    .Doc(
        "Numbers of Poisson distribution, of another dtype than the rates: "
        "shape [n], rate [...] -> [shape..., ...].");

REGISTER_OP("RandomIndexShuffle")
    .Input("index: dtype")
    .Input("seed: Tseed")
    .Input("max_index: dtype")
    .Output("output: dtype")
    .Attr("rounds: int = 4")
    .Attr("dtype: {int32, uint32, int64, uint64}")
    .Attr("Tseed: {int32, uint32, int64, uint64}")
    .SetShapeFn(IndexShuffleShape)
    .Doc(
        "The places of index [] or [n] in an order of the numbers 0 to "
        "max_index [] or [n] that seed [3] or [n, 3] and the number of rounds "
        "decide -> [] or [n].");

}  // namespace tensorwright
