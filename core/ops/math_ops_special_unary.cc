// SPDX-License-Identifier: Apache-2.0
// Special functions of one argument: registrations.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

REGISTER_OP("BesselI0")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = modified Bessel function of the first kind of order 0, element "
        "by element, in the shape of x.");

REGISTER_OP("BesselI0e")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = exp(-|x|) times the modified Bessel function of the first kind "
        "of order 0, element by element, in the shape of x.");

REGISTER_OP("BesselI1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = modified Bessel function of the first kind of order 1, element "
        "by element, in the shape of x.");

REGISTER_OP("BesselI1e")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = exp(-|x|) times the modified Bessel function of the first kind "
        "of order 1, element by element, in the shape of x.");

REGISTER_OP("BesselJ0")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = Bessel function of the first kind of order 0, element by "
        "element, in the shape of x.");

REGISTER_OP("BesselJ1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = Bessel function of the first kind of order 1, element by "
        "element, in the shape of x.");

REGISTER_OP("BesselK0")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = modified Bessel function of the second kind of order 0, infinite "
        "for x <= 0, element by element, in the shape of x.");

REGISTER_OP("BesselK0e")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = exp(x) times the modified Bessel function of the second kind of "
        "order 0, infinite for x <= 0, element by element, in the shape of x.");

REGISTER_OP("BesselK1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = modified Bessel function of the second kind of order 1, infinite "
        "for x <= 0, element by element, in the shape of x.");

REGISTER_OP("BesselK1e")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = exp(x) times the modified Bessel function of the second kind of "
        "order 1, infinite for x <= 0, element by element, in the shape of x.");

REGISTER_OP("BesselY0")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = Bessel function of the second kind of order 0, -infinity for x "
        "<= 0, element by element, in the shape of x.");

REGISTER_OP("BesselY1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = Bessel function of the second kind of order 1, -infinity for x "
        "<= 0, element by element, in the shape of x.");

REGISTER_OP("Erfinv")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = inverse of erf: infinite at -1 and 1, NaN outside.");

REGISTER_OP("Ndtri")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = number below which a standard normal variable is with "
        "probability x; NaN unless 0 <= x <= 1.");

REGISTER_OP("Expint")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = exponential integral of x: of exp(t) / t from -infinity to x; "
        "NaN for x < 0.");

REGISTER_OP("Spence")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = Spence function of x: integral of log(t) / (1 - t) from 1 to x; "
        "NaN for x < 0.");

REGISTER_OP("Dawsn")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = Dawson integral: exp(-x^2) times the integral of exp(t^2) from 0 "
        "to x.");

REGISTER_OP("FresnelCos")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = integral of cos(pi t^2 / 2) from 0 to x, element by element, in "
        "the shape of x.");

REGISTER_OP("FresnelSin")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = integral of sin(pi t^2 / 2) from 0 to x, element by element, in "
        "the shape of x.");

}  // namespace tensorwright
