// SPDX-License-Identifier: Apache-2.0
// Special functions of numbers, in float and double precision.
//
// Errors stay within a few dozen units in the last place over the usual range.
// Outside a function's domain the result is NaN, at a pole infinity; nothing is
// thrown.  Defined for float and double.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_SPECIAL_MATH_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_SPECIAL_MATH_H_

namespace tensorwright {
namespace special_math {

// Regularized incomplete Gamma functions P(a, x) and Q(a, x) = 1 - P(a, x) for
// a > 0, x >= 0 (Boost.Math: Temme's expansion where a and x are near and
// large, else series and continued fractions).
template <typename T>
T Igamma(T a, T x);
template <typename T>
T Igammac(T a, T x);

// Regularized incomplete beta function I_x(a, b) for a, b > 0 and x in [0, 1]
// (Boost.Math: Didonato and Morris, algorithm 708).
template <typename T>
T Betainc(T a, T b, T x);

// Hurwitz zeta function: the sum over n >= 0 of (q + n)^-s for s > 1; for
// negative q of whole s only.  By Euler and Maclaurin's formula (DLMF 25.11.5).
template <typename T>
T Zeta(T s, T q);

// Derivative number n of Digamma at x, n a whole number >= 0; for n > 0
// (-1)^(n + 1) n! Zeta(n + 1, x) (DLMF 25.11.12).
template <typename T>
T Polygamma(T n, T x);

}  // namespace special_math
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_SPECIAL_MATH_H_
