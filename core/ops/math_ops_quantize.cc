// SPDX-License-Identifier: Apache-2.0
// Arithmetic on codes of a range: sums and products, and the narrowing of their
// wide codes.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status RequireScalars(InferenceContext* c, int begin) {
  ShapeHandle unused;
  for (int i = begin; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

// Sets the outputs from `begin` on.
void SetScalars(InferenceContext* c, int begin) {
  for (int i = begin; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
}

// x, y, and the ends of their ranges.
Status QuantizedBinaryShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpShapeFn(c));
  TF_RETURN_IF_ERROR(RequireScalars(c, 2));
  SetScalars(c, 1);
  return OkStatus();
}

Status QuantizedMatMulShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::MatMulShape(c));
  TF_RETURN_IF_ERROR(RequireScalars(c, 2));
  SetScalars(c, 1);
  return OkStatus();
}

// Codes, and the ends of ranges.
Status RequantizeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(RequireScalars(c, 1));
  c->set_output(0, c->input(0));
  SetScalars(c, 1);
  return OkStatus();
}

Status RequantizationRangeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(RequireScalars(c, 1));
  SetScalars(c, 0);
  return OkStatus();
}

}  // namespace

REGISTER_OP("QuantizedAdd")
    .Input("x: T1")
    .Input("y: T2")
    .Input("min_x: float")
    .Input("max_x: float")
    .Input("min_y: float")
    .Input("max_y: float")
    .Output("z: Toutput")
    .Output("min_z: float")
    .Output("max_z: float")
    .Attr("T1: quantizedtype")
    .Attr("T2: quantizedtype")
    .Attr("Toutput: quantizedtype = DT_QINT32")
    .SetIsCommutative()
    .SetShapeFn(QuantizedBinaryShape)
    .Doc(
        "x + y of codes with the ranges [min_x, max_x] and [min_y, max_y] (all "
        "[]), broadcast, and the range of the sums' codes.");

REGISTER_OP("QuantizedMul")
    .Input("x: T1")
    .Input("y: T2")
    .Input("min_x: float")
    .Input("max_x: float")
    .Input("min_y: float")
    .Input("max_y: float")
    .Output("z: Toutput")
    .Output("min_z: float")
    .Output("max_z: float")
    .Attr("T1: quantizedtype")
    .Attr("T2: quantizedtype")
    .Attr("Toutput: quantizedtype = DT_QINT32")
    .SetIsCommutative()
    .SetShapeFn(QuantizedBinaryShape)
    .Doc(
        "x * y of codes with the ranges [min_x, max_x] and [min_y, max_y] (all "
        "[]), broadcast, and the range of the products' codes.");

REGISTER_OP("QuantizedMatMul")
    .Input("a: T1")
    .Input("b: T2")
    .Input("min_a: float")
    .Input("max_a: float")
    .Input("min_b: float")
    .Input("max_b: float")
    .Output("out: Toutput")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr("T1: quantizedtype")
    .Attr("T2: quantizedtype")
    .Attr("Toutput: quantizedtype = DT_QINT32")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("Tactivation: quantizedtype = DT_QUINT8")
    .SetShapeFn(QuantizedMatMulShape)
    .Doc(
        "The product [m, n] of matrices of codes a [m, k] and b [k, n] with "
        "the ranges [min_a, max_a] and [min_b, max_b] (all []), and the range "
        "of its codes.");

REGISTER_OP("QuantizeDownAndShrinkRange")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output: out_type")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: quantizedtype")
    .Attr("out_type: quantizedtype")
    .SetShapeFn(RequantizeShape)
    .Doc(
        "Codes [...] as narrower ones, whose range is that of the numbers "
        "there are.");

REGISTER_OP("Requantize")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Input("requested_output_min: float")
    .Input("requested_output_max: float")
    .Output("output: out_type")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: quantizedtype")
    .Attr("out_type: quantizedtype")
    .SetShapeFn(RequantizeShape)
    .Doc("Codes [...] as narrower ones with the range that is asked for.");

REGISTER_OP("RequantizationRange")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: quantizedtype")
    .SetShapeFn(RequantizationRangeShape)
    .Doc(
        "The smallest (0 at most) and the largest number [] that codes [...] "
        "stand for.");

}  // namespace tensorwright
