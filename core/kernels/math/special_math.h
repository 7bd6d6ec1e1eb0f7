// SPDX-License-Identifier: Apache-2.0
// Special functions of numbers, in float and double precision.
//
// Errors stay within a few dozen units in the last place over the usual range.
// The result is NaN outside a function's domain and infinity at a pole; no
// function throws.  Defined for float and double.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_SPECIAL_MATH_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_SPECIAL_MATH_H_

namespace tensorwright {
namespace special_math {

// Regularized incomplete Gamma functions P(a, x) and Q(a, x) = 1 - P(a, x) for
// a > 0, x >= 0 (Boost.Math uses Temme's expansion if a and x are near and
// large, else series and continued fractions).
template <typename T>
T Igamma(T a, T x);
template <typename T>
T Igammac(T a, T x);

// Regularized incomplete beta function I_x(a, b) for a, b > 0 and x in [0, 1]
// (Boost.Math: Didonato and Morris, algorithm 708).
template <typename T>
T Betainc(T a, T b, T x);

// Hurwitz zeta function: the sum over n >= 0 of (q + n)^-s for s > 1; a
// negative q requires a whole s.  Uses Euler and Maclaurin's formula (DLMF
// 25.11.5).
template <typename T>
T Zeta(T s, T q);

// Derivative number n of Digamma at x, n a whole number >= 0; for n > 0 it is
// (-1)^(n + 1) n! Zeta(n + 1, x) (DLMF 25.11.12).
template <typename T>
T Polygamma(T n, T x);

// Functions of one argument, in double precision; kernels of narrower types
// round the results.

// Modified Bessel functions of the first kind, of orders 0 and 1.  The latter
// two are multiplied by e^-|x| and do not overflow.
double BesselI0(double x);
double BesselI1(double x);
double BesselI0e(double x);
double BesselI1e(double x);

// Modified Bessel functions of the second kind; the latter two are multiplied
// by e^x.  All are infinite for x <= 0.
double BesselK0(double x);
double BesselK1(double x);
double BesselK0e(double x);
double BesselK1e(double x);

// Bessel functions of the first kind and of the second kind; the latter are
// -infinity for x <= 0.
double BesselJ0(double x);
double BesselJ1(double x);
double BesselY0(double x);
double BesselY1(double x);

// The inverses of erf and of the distribution function of a standard normal
// variable.
double Erfinv(double x);
double Ndtri(double p);

// Integrals: Expint of e^t / t from -infinity to x; Spence of log(t) / (1 - t)
// from 1 to x >= 0; the others of e^(t^2 - x^2), cos(pi t^2 / 2) and sin(pi t^2
// / 2) from 0 to x.
double Expint(double x);
double Spence(double x);
double Dawsn(double x);
double FresnelCos(double x);
double FresnelSin(double x);

}  // namespace special_math
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_SPECIAL_MATH_H_
