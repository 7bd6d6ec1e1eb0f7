// SPDX-License-Identifier: Apache-2.0
// Inverses of the error function, and integrals that have names, computed in
// double precision.

#include <cmath>
#include <complex>
#include <limits>

#include "boost/math/special_functions/erf.hpp"
#include "boost/math/special_functions/expint.hpp"
#include "core/kernels/math/special_math.h"

namespace tensorwright {
namespace special_math {
namespace {

namespace policies = boost::math::policies;

using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::underflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>,
                     policies::promote_double<false>>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;
constexpr double kRootPi = 1.77245385090551602730;

// Returns Spence's function near 1: the dilogarithm of 1 - x in powers of u =
// -log(x), whose coefficients are Bernoulli's numbers B(k) / (k + 1)! (|u| <=
// log 2).
double SpenceNearOne(double x) {
  constexpr double kCoefficients[] = {
      1. / 36,
      -1. / 3600,
      1. / 211680,
      -1. / 10886400,
      5. / 66. / 39916800,
      -691. / 2730. / 6227020800,
      7. / 6. / 1307674368000,
      -3617. / 510. / 355687428096000,
      43867. / 798. / 121645100408832000,
      -174611. / 330. / 51090942171709440000.,
  };
  const double u = -std::log(x), square = u * u;
  double power = u * square, sum = 0;
  for (const double coefficient : kCoefficients) {
    sum += coefficient * power;
    power *= square;
  }
  return u - square / 4 + sum;
}

// Returns both Fresnel integrals of x >= 0 by their power series (DLMF 7.6.4,
// 7.6.6).
std::complex<double> FresnelSeries(double x) {
  const double t = kPi / 2 * x * x;
  double cosine = 0, sine = 0, term = x;
  for (int n = 0; n < 40; ++n) {
    // term = x t^n / n!, with the sign of its place.
    double& sum = n % 2 == 0 ? cosine : sine;
    const double part = term / (2 * n + 1);
    sum += n / 2 % 2 == 0 ? part : -part;
    term *= t / (n + 1);
  }
  return {cosine, sine};
}

// Returns the same by the continued fraction of the complementary error
// function (DLMF 7.9.3) of z = x sqrt(pi) (1 - i) / 2, evaluated from its end,
// with enough terms for x >= 1.5.
std::complex<double> FresnelFraction(double x) {
  using Complex = std::complex<double>;
  const Complex square(0, -kPi / 2 * x * x);
  const int terms = static_cast<int>(20 + 600 / (x * x));
  Complex tail = 0;
  for (int k = terms; k >= 1; --k) {
    const double factor = (2.0 * k - 1) * (2.0 * k);
    tail = factor / (2.0 * square + (4.0 * k + 1) - tail);
  }
  const Complex z = x * kRootPi / 2 * Complex(1, -1);
  // erfc(z) e^(z^2) sqrt(pi) / 2.
  const Complex scaled = z / (2.0 * square + 1.0 - tail);
  // The square of x without whole turns, to the last digit.
  const double high = x * x, low = std::fma(x, x, -high);
  const double angle = kPi / 2 * (std::fmod(high, 4.0) + low);
  const Complex turn(std::cos(angle), std::sin(angle));
  return Complex(0.5, 0.5) * (1.0 - 2.0 / kRootPi * turn * scaled);
}

std::complex<double> Fresnel(double x) {
  if (std::isnan(x)) return {x, x};
  const double size = std::fabs(x);
  std::complex<double> both(0.5, 0.5);
  if (size < 1.5) {
    both = FresnelSeries(size);
  } else if (size < 1e16) {
    both = FresnelFraction(size);
  }
  return x < 0 ? -both : both;
}

}  // namespace

double Erfinv(double x) {
  if (!(std::fabs(x) <= 1)) return kNaN;
  if (std::fabs(x) == 1) return std::copysign(kInfinity, x);
  return boost::math::erf_inv(x, Quiet());
}

double Ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  const double root = std::sqrt(2.0);
  return p < 0.5 ? -root * boost::math::erfc_inv(2 * p, Quiet())
                 : root * boost::math::erfc_inv(2 * (1 - p), Quiet());
}

double Expint(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0 || std::isinf(x)) return x == 0 ? -kInfinity : kInfinity;
  return boost::math::expint(x, Quiet());
}

double Spence(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return kPi * kPi / 6;
  if (std::isinf(x)) return -kInfinity;
  if (x < 0.5) {
    return kPi * kPi / 6 - std::log(x) * std::log1p(-x) - SpenceNearOne(1 - x);
  }
  if (x > 2) {
    const double log = std::log(x);
    return -log * log / 2 - Spence(1 / x);
  }
  return SpenceNearOne(x);
}

double Dawsn(double x) {
  if (std::isnan(x)) return x;
  const double size = std::fabs(x), square = x * x;
  double value = 0;
  if (size < 0.5) {
    // The power series of Dawson's integral (DLMF 7.6.3).
    double term = size;
    for (int n = 0; n < 16; ++n) {
      value += term;
      term *= -2 * square / (2 * n + 3);
    }
  } else if (size > 12) {
    // The asymptotic expansion of Dawson's integral (DLMF 7.12.1), whose terms
    // fall in this range.
    double term = 1 / (2 * size);
    for (int n = 0; n < 10; ++n) {
      value += term;
      term *= (2 * n + 1) / (2 * square);
    }
  } else {
    // Rybicki's sum over odd numbers (Numerical methods for Dawson's integral,
    // 1989), whose error is e^-(pi / 2h)^2.
    constexpr double h = 0.25;
    const double nearest = 2 * std::round(size / (2 * h));
    const double rest = size - nearest * h;
    for (int n = -27; n <= 27; n += 2) {
      const double d = rest - n * h;
      value += std::exp(-d * d) / (nearest + n);
    }
    value /= kRootPi;
  }
  return std::copysign(value, x);
}

double FresnelCos(double x) { return Fresnel(x).real(); }
double FresnelSin(double x) { return Fresnel(x).imag(); }

}  // namespace special_math
}  // namespace tensorwright
