// SPDX-License-Identifier: Apache-2.0
// Samples for parameters that are a function of a seed; stateless_random_ops.cc
// has those without parameters.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status CheckVector(InferenceContext* c, int input, int64_t size) {
  ShapeHandle vector;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, &vector));
  return c->WithValue(c->Dim(vector, 0), size, &unused);
}

// shape: the output's shape; seed: [2].
Status SeededShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(CheckVector(c, 1, 2));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

// shape: the output's shape; key [1], counter [n], alg [].
Status KeyedShape(InferenceContext* c) {
  ShapeHandle unused, out;
  TF_RETURN_IF_ERROR(CheckVector(c, 1, 1));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

// logits: [batch, classes], num_samples: a scalar, seed: [2].
Status StatelessMultinomialShape(InferenceContext* c) {
  ShapeHandle logits, unused;
  DimensionHandle num_samples;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &logits));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(CheckVector(c, 2, 2));
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &num_samples));
  c->set_output(0, c->Matrix(c->Dim(logits, 0), num_samples));
  return OkStatus();
}

}  // namespace

REGISTER_OP("StatelessMultinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Input("seed: Tseed")
    .Output("output: output_dtype")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(StatelessMultinomialShape)
    .Doc(
        "logits [batch, classes], num_samples [], seed [2] -> classes drawn by "
        "exp(logits), which the seed decides: [batch, num_samples].");

REGISTER_OP("StatelessRandomGammaV2")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(SeededShape)
    .Doc(
        "Numbers of gamma distribution, of scale 1 and the shape parameters "
        "alpha, which the seed decides: shape [n], which ends with alpha's, "
        "seed [2] -> a tensor of that shape.");

REGISTER_OP("StatelessRandomGammaV3")
    .Input("shape: shape_dtype")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("shape_dtype: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(KeyedShape)
    .Doc(
        "StatelessRandomGammaV2 from a place of a stream: key [1], counter "
        "[2], and alg [], 1 for Philox.");

REGISTER_OP("StatelessRandomPoisson")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("lam: Rtype")
    .Output("output: dtype")
    .Attr("Rtype: {half, float, double, int32, int64}")
    .Attr("dtype: {half, float, double, int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(SeededShape)
    .Doc(
        "Numbers of Poisson distribution of the rates lam, which the seed "
        "decides: shape [n], which ends with lam's, seed [2] -> a tensor of "
        "that shape.");

REGISTER_OP("StatelessRandomBinomial")
    .Input("shape: S")
    .Input("seed: Tseed")
    .Input("counts: T")
    .Input("probs: T")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(SeededShape)
    .Doc(
        "Successes among counts trials of probability probs, which the seed "
        "decides: shape [n], which ends with the shape that these broadcast "
        "to, seed [2] -> a tensor of that shape.");

}  // namespace tensorwright
