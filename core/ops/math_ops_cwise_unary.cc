// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of one argument, and their gradients: registrations and shape
// functions.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

REGISTER_OP("Neg")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = -x, element by element, in the shape of x.");

REGISTER_OP("Abs")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = |x|, element by element, in the shape of x.");

REGISTER_OP("Square")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = x * x, element by element, in the shape of x.");

REGISTER_OP("Sqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = square root of x, element by element; NaN for real x < 0.");

REGISTER_OP("Rsqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = 1 / sqrt(x), element by element, in the shape of x.");

REGISTER_OP("Inv")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Deprecated(17, "Use Reciprocal")
    .Doc("y = 1 / x, element by element, in the shape of x.");

REGISTER_OP("Reciprocal")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = 1 / x, element by element, in the shape of x.");

REGISTER_OP("Exp")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = e to the power x, element by element, in the shape of x.");

REGISTER_OP("Expm1")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = exp(x) - 1, accurate near 0, element by element.");

REGISTER_OP("Log")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = natural logarithm of x, element by element, in the shape of x.");

REGISTER_OP("Log1p")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = log(1 + x), accurate near 0, element by element.");

REGISTER_OP("Sin")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = sine of x (radians), element by element, in the shape of x.");

REGISTER_OP("Cos")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = cosine of x (radians), element by element, in the shape of x.");

REGISTER_OP("Tan")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = tangent of x (radians), element by element, in the shape of x.");

REGISTER_OP("Sinh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = hyperbolic sine of x, element by element, in the shape of x.");

REGISTER_OP("Cosh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = hyperbolic cosine of x, element by element, in the shape of x.");

REGISTER_OP("Asin")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = arcsine of x in radians, element by element; NaN for real "
        "|x| > 1.");

REGISTER_OP("Acos")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = arccosine of x in radians, element by element; NaN for "
        "real |x| > 1.");

REGISTER_OP("Atan")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = arctangent of x in radians, element by element, in the "
        "shape of x.");

REGISTER_OP("Asinh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = inverse hyperbolic sine of x, element by element.");

REGISTER_OP("Acosh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = inverse hyperbolic cosine of x, element by element; NaN "
        "for real x < 1.");

REGISTER_OP("Atanh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = inverse hyperbolic tangent of x, element by element; NaN "
        "for real |x| > 1.");

REGISTER_OP("Tanh")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = hyperbolic tangent of x, element by element, in the shape of x.");

REGISTER_OP("Sigmoid")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = 1 / (1 + exp(-x)), element by element, in the shape of x.");

REGISTER_OP("Sign")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = -1, 0 or 1 as x is negative, zero or positive; x / |x| if "
        "complex.");

REGISTER_OP("Floor")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = largest integer <= x, element by element, in the shape of x.");

REGISTER_OP("Ceil")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = smallest integer >= x, element by element, in the shape of x.");

REGISTER_OP("Round")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "complex64, complex128}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = integer nearest to x, halves to the even one, element by "
        "element.");

REGISTER_OP("Rint")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = integer nearest to x, halves to the even one, element by "
        "element.");

REGISTER_OP("Erf")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = Gauss error function of x, element by element.");

REGISTER_OP("Erfc")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = 1 - erf(x), accurate for large x, element by element.");

REGISTER_OP("Lgamma")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = log(|Gamma(x)|), element by element, in the shape of x.");

REGISTER_OP("Digamma")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = derivative of Lgamma at x, element by element.");

REGISTER_OP("IsNan")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = true where x is not a number, in the shape of x.");

REGISTER_OP("IsInf")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = true where x is plus or minus infinity, in the shape of x.");

REGISTER_OP("IsFinite")
    .Input("x: T")
    .Output("y: bool")
    .Attr("T: {bfloat16, half, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = true where x is neither infinite nor NaN, in the shape of x.");

REGISTER_OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("y = not x, element by element, in the shape of x.");

REGISTER_OP("Real")
    .Input("input: T")
    .Output("output: Tout")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .Attr("Tout: {float, double} = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Real part of each element, in the shape of input.");

REGISTER_OP("Imag")
    .Input("input: T")
    .Output("output: Tout")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .Attr("Tout: {float, double} = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Imaginary part of each element, in the shape of input.");

REGISTER_OP("ComplexAbs")
    .Input("x: T")
    .Output("y: Tout")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .Attr("Tout: {float, double} = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "y = |x| of complex x, element by element, as a real tensor of x's "
        "shape.");

REGISTER_OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128, variant} = DT_COMPLEX64")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Complex conjugate of each element, in the shape of input.");

REGISTER_OP("TanhGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("z = dy * (1 - y * y), where y = tanh(x): all of one shape.");

REGISTER_OP("SigmoidGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("z = dy * y * (1 - y), where y = sigmoid(x): all of one shape.");

REGISTER_OP("SqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("z = dy / (2 * y), where y = sqrt(x): all of one shape.");

REGISTER_OP("RsqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("z = dy * -y**3 / 2, where y = rsqrt(x): all of one shape.");

REGISTER_OP("InvGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Deprecated(17, "Use ReciprocalGrad")
    .Doc("z = -dy * y * y, where y = 1 / x: all of one shape.");

REGISTER_OP("ReciprocalGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Doc("z = -dy * y * y, where y = 1 / x: all of one shape.");

}  // namespace tensorwright
