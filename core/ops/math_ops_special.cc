// SPDX-License-Identifier: Apache-2.0
// Special functions of two and three arguments.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// a, b, x: of one shape, except that scalars among them take it.
Status BetaincShape(InferenceContext* c) {
  ShapeHandle shape;
  bool rank_known = true;
  for (int i = 0; i < 3; ++i) {
    const ShapeHandle input = c->input(i);
    if (!c->RankKnown(input)) {
      rank_known = false;
    } else if (c->Rank(input) != 0) {
      if (shape.IsSet()) {
        TF_RETURN_IF_ERROR(c->Merge(input, shape, &shape));
      } else {
        shape = input;
      }
    }
  }
  if (!shape.IsSet()) shape = rank_known ? c->Scalar() : c->UnknownShape();
  c->set_output(0, shape);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Igamma")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "z = lower regularized incomplete Gamma function P(a, x), with "
        "broadcasting.");

REGISTER_OP("Igammac")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "z = upper regularized incomplete Gamma function Q(a, x) = 1 - P(a, "
        "x), with broadcasting.");

REGISTER_OP("Zeta")
    .Input("x: T")
    .Input("q: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "z = Hurwitz zeta function: the sum over n >= 0 of (q + n) ** -x, "
        "with broadcasting.");

REGISTER_OP("Polygamma")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Doc(
        "z = derivative number a (a whole number) of Digamma at x, with "
        "broadcasting.");

REGISTER_OP("Betainc")
    .Input("a: T")
    .Input("b: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(BetaincShape)
    .Doc(
        "z = regularized incomplete beta function I_x(a, b): inputs of one "
        "shape, or scalars.");

}  // namespace tensorwright
