// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of a seed of two integers: the same in
// every call and on every machine.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// shape: the output's shape; seed: [2].
Status StatelessShape(InferenceContext* c) {
  ShapeHandle seed, out;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &seed));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(seed, 0), 2, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status StatelessIntShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  return StatelessShape(c);
}

// shape: the output's shape; key [1], counter [n], alg [].
Status KeyedShape(InferenceContext* c) {
  ShapeHandle key, unused, out;
  DimensionHandle one;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &key));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(key, 0), 1, &one));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status KeyedIntShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(4), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(5), 0, &unused));
  return KeyedShape(c);
}

// seed: [2].
Status KeyCounterShape(InferenceContext* c) {
  ShapeHandle seed;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &seed));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(seed, 0), 2, &unused));
  c->set_output(0, c->Vector(1));
  c->set_output(1, c->Vector(2));
  if (c->num_outputs() > 2) c->set_output(2, c->Scalar());
  return OkStatus();
}

}  // namespace

REGISTER_OP("StatelessRandomUniform")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(StatelessShape)
    .Doc(
        "Numbers of uniform distribution in [0, 1), which the seed decides: "
        "shape [n], seed [2] -> a tensor of that shape.");

REGISTER_OP("StatelessRandomNormal")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(StatelessShape)
    .Doc(
        "Numbers of normal distribution, mean 0 and deviation 1, which the "
        "seed decides: shape [n], seed [2] -> a tensor of that shape.");

REGISTER_OP("StatelessTruncatedNormal")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(StatelessShape)
    .Doc(
        "Numbers of normal distribution, those beyond two deviations drawn "
        "again, which the seed decides: shape [n], seed [2] -> a tensor of "
        "that shape.");

REGISTER_OP("StatelessRandomUniformInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(StatelessIntShape)
    .Doc(
        "Integers of uniform distribution in [minval, maxval), which the seed "
        "decides: shape [n], seed [2], two scalars -> a tensor of that shape.");

REGISTER_OP("StatelessRandomUniformFullInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64, uint32, uint64} = DT_INT64")
    .Needs("unbounded memory")
    .SetShapeFn(StatelessShape)
    .Doc(
        "Any integers of the dtype, which the seed decides: shape [n], seed "
        "[2] -> a tensor of that shape.");

REGISTER_OP("StatelessRandomUniformV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(KeyedShape)
    .Doc(
        "StatelessRandomUniform from a place of a stream: key [1], counter "
        "[2], and alg [], 1 for Philox.");

REGISTER_OP("StatelessRandomNormalV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(KeyedShape)
    .Doc(
        "StatelessRandomNormal from a place of a stream: key [1], counter [2], "
        "and alg [], 1 for Philox.");

REGISTER_OP("StatelessTruncatedNormalV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Output("output: dtype")
    .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(KeyedShape)
    .Doc(
        "StatelessTruncatedNormal from a place of a stream: key [1], counter "
        "[2], and alg [], 1 for Philox.");

REGISTER_OP("StatelessRandomUniformFullIntV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(KeyedShape)
    .Doc(
        "StatelessRandomUniformFullInt from a place of a stream: key [1], "
        "counter [2], and alg [], 1 for Philox.");

REGISTER_OP("StatelessRandomUniformIntV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64}")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(KeyedIntShape)
    .Doc(
        "StatelessRandomUniformInt from a place of a stream: key [1], counter "
        "[2], and alg [], 1 for Philox.");

REGISTER_OP("StatelessRandomGetKeyCounter")
    .Input("seed: Tseed")
    .Output("key: uint64")
    .Output("counter: uint64")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .SetShapeFn(KeyCounterShape)
    .Doc(
        "The place of a stream that a seed [2] names, of which the seeded ops "
        "draw: key [1], counter [2].");

REGISTER_OP("StatelessRandomGetKeyCounterAlg")
    .Input("seed: Tseed")
    .Output("key: uint64")
    .Output("counter: uint64")
    .Output("alg: int32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .SetShapeFn(KeyCounterShape)
    .Doc(
        "StatelessRandomGetKeyCounter with the device's algorithm: seed [2] -> "
        "key [1], counter [2], alg [], 1 for Philox.");

REGISTER_OP("StatelessRandomGetAlg")
    .Output("alg: int32")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The number of the device's algorithm, a scalar: 1, Philox.");

}  // namespace tensorwright
