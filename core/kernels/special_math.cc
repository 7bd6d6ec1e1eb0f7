// SPDX-License-Identifier: Apache-2.0
// Special functions: Boost.Math's, and zeta and polygamma of our own.

#include "core/kernels/special_math.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "boost/math/special_functions/beta.hpp"
#include "boost/math/special_functions/gamma.hpp"
#include "core/kernels/cwise_functors.h"

namespace tensorwright {
namespace special_math {
namespace {

namespace policies = boost::math::policies;

// What Boost finds wrong with an argument becomes a NaN or an infinity, and
// each type computes in itself.
using Quiet = policies::policy<
    policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>,
    policies::rounding_error<policies::ignore_error>,
    policies::indeterminate_result_error<policies::ignore_error>,
    policies::promote_float<false>, policies::promote_double<false>>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where both incomplete Gamma functions end: true, with the value of P.
template <typename T>
bool IgammaAtEnds(T a, T x, T* p) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) {
    *p = std::numeric_limits<T>::quiet_NaN();
  } else if (x == 0) {
    *p = T(0);
  } else if (std::isinf(a)) {
    *p = std::isinf(x) ? std::numeric_limits<T>::quiet_NaN() : T(0);
  } else if (std::isinf(x)) {
    *p = T(1);
  } else {
    return false;
  }
  return true;
}

// What a type asks of a series: how small a term counts for nothing, and how
// many terms come before the formula for the rest.
struct Precision {
  double tiny;
  int terms;
};
template <typename T>
constexpr Precision kPrecisionOf = {std::numeric_limits<double>::epsilon() / 2,
                                    9};
template <>
constexpr Precision kPrecisionOf<float> = {
    std::numeric_limits<float>::epsilon() / 64, 5};

// The sum over n >= 0 of (q + n)^-s, q > 0, s > 1.
double ZetaOfPositive(double s, double q, Precision precision) {
  if (std::isinf(q)) return 0;
  if (std::isinf(s)) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  const double tiny = precision.tiny;
  // Ten terms one by one, or as many as lead beyond 9; then the formula is
  // exact to the last place: what it leaves out falls faster with s / q than
  // the terms already summed.  For floats six and 5 are enough.
  double sum = std::pow(q, -s), term = sum, w = q;
  for (int n = 0; n < precision.terms || w <= precision.terms; ++n) {
    w += 1;
    term = std::pow(w, -s);
    sum += term;
    if (term <= tiny * sum) return sum;
  }
  sum += term * w / (s - 1) - term / 2;
  // Bernoulli numbers B(2j) / (2j)!.
  constexpr double kCoefficients[] = {
      1. / 12,
      -1. / 720,
      1. / 30240,
      -1. / 1209600,
      1. / 47900160,
      -691. / 1307674368000,
      1. / 74724249600,
      -3617. / 10670622842880000,
      43867. / 5109094217170944000,
      -174611. / 802857662698291200000.,
      854513. / 155112100433309859840000.,
      -236364091. / 1693824136731743669452800000.};
  double factor = s * term / w;
  double k = s;
  for (const double coefficient : kCoefficients) {
    const double correction = factor * coefficient;
    sum += correction;
    if (std::fabs(correction) < tiny * std::fabs(sum)) break;
    factor *= (k + 1) / w * ((k + 2) / w);
    k += 2;
  }
  return sum;
}

double ZetaOfDoubles(double s, double q, Precision precision) {
  if (std::isnan(s) || std::isnan(q)) return kNaN;
  if (s == 1) return kInfinity;
  if (s < 1) return kNaN;
  if (q > 0) return ZetaOfPositive(s, q, precision);
  if (std::isinf(s)) return kInfinity;
  const bool whole = s == std::floor(s);
  const bool even = whole && std::fmod(s, 2) == 0;
  if (q == std::floor(q)) return even ? kInfinity : kNaN;
  if (!whole) return kNaN;
  // Terms of negative q + n are (-1)^s times those from the fraction of -q up
  // to -q.
  const double fraction = -q - std::floor(-q);
  const double below = ZetaOfPositive(s, fraction, precision);
  const double above = ZetaOfPositive(s, 1 - fraction, precision);
  const double beyond = ZetaOfPositive(s, 1 - q, precision);
  // Odd powers on both sides of 0 cancel, at a fraction of one half all of
  // them: they come before what is beyond.
  return even ? below + above - beyond : (above - below) + beyond;
}

double PolygammaOfDoubles(double n, double x, Precision precision) {
  if (std::isnan(n) || std::isnan(x) || n < 0 || n != std::floor(n)) {
    return kNaN;
  }
  if (n == 0) return functor::Digamma<double>()(x);
  const double zeta = ZetaOfDoubles(n + 1, x, precision);
  // n! fits up to 170.
  const double size = n <= 170 ? std::tgamma(n + 1) * zeta
                               : std::exp(functor::Lgamma<double>()(n + 1) +
                                          std::log(std::fabs(zeta))) *
                                     (zeta < 0 ? -1 : 1);
  return std::fmod(n, 2) == 0 ? -size : size;
}

}  // namespace

template <typename T>
T Igamma(T a, T x) {
  T p;
  if (IgammaAtEnds(a, x, &p)) return p;
  return boost::math::gamma_p(a, x, Quiet());
}

template <typename T>
T Igammac(T a, T x) {
  T p;
  if (IgammaAtEnds(a, x, &p)) return 1 - p;
  return boost::math::gamma_q(a, x, Quiet());
}

template <typename T>
T Betainc(T a, T b, T x) {
  // Comparisons that NaN fails.
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  if (x == 0 || x == 1) return x;
  if (std::isinf(a) || std::isinf(b)) {
    if (std::isinf(a) && std::isinf(b)) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    return std::isinf(a) ? T(0) : T(1);
  }
  return boost::math::ibeta(a, b, x, Quiet());
}

template <typename T>
T Zeta(T s, T q) {
  return static_cast<T>(ZetaOfDoubles(s, q, kPrecisionOf<T>));
}

template <typename T>
T Polygamma(T n, T x) {
  return static_cast<T>(PolygammaOfDoubles(n, x, kPrecisionOf<T>));
}

template float Igamma(float, float);
template double Igamma(double, double);
template float Igammac(float, float);
template double Igammac(double, double);
template float Betainc(float, float, float);
template double Betainc(double, double, double);
template float Zeta(float, float);
template double Zeta(double, double);
template float Polygamma(float, float);
template double Polygamma(double, double);

}  // namespace special_math
}  // namespace tensorwright
