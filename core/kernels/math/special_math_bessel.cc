// SPDX-License-Identifier: Apache-2.0
// Bessel functions of orders 0 and 1, computed in double precision.

#include <cmath>
#include <limits>

#include "boost/math/special_functions/bessel.hpp"
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;

// Above this e^x may overflow, and Hankel's expansion has all digits.
constexpr double kLarge = 500;

// Returns the sum of Hankel's expansion in 1 / x for the modified functions
// (DLMF 10.40.1 and 10.40.2), without the factor before it; signs alternate for
// I and not for K.
double HankelSum(int order, double x, bool alternate) {
  const double mu = 4.0 * order * order;
  double sum = 1, term = 1;
  for (int k = 1; k <= 10; ++k) {
    const double odd = 2 * k - 1;
    term *= (alternate ? -1 : 1) * (mu - odd * odd) / (k * 8 * x);
    sum += term;
  }
  return sum;
}

// Returns e^-|x| I(x), which is even for order 0 and odd for order 1.
double ScaledI(int order, double x) {
  const double size = std::fabs(x);
  const double value =
      size > kLarge
          ? HankelSum(order, size, /*alternate=*/true) /
                std::sqrt(2 * kPi * size)
          : boost::math::cyl_bessel_i(order, size, Quiet()) * std::exp(-size);
  return order == 1 ? std::copysign(value, x) : value;
}

// Returns e^x K(x); infinite if x is not positive.
double ScaledK(int order, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return kInfinity;
  if (x > kLarge) {
    return HankelSum(order, x, /*alternate=*/false) * std::sqrt(kPi / (2 * x));
  }
  return boost::math::cyl_bessel_k(order, x, Quiet()) * std::exp(x);
}

double I(int order, double x) {
  if (std::isnan(x)) return x;
  const double size = std::fabs(x);
  // e^x is multiplied in as two factors, because it overflows before the
  // function does.
  const double value =
      size > kLarge
          ? ScaledI(order, size) * std::exp(size / 2) * std::exp(size / 2)
          : boost::math::cyl_bessel_i(order, size, Quiet());
  if (std::isinf(size)) return order == 1 ? x : size;
  return order == 1 ? std::copysign(value, x) : value;
}

double K(int order, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return kInfinity;
  if (x > kLarge) return ScaledK(order, x) * std::exp(-x);
  return boost::math::cyl_bessel_k(order, x, Quiet());
}

}  // namespace

double BesselI0(double x) { return I(0, x); }
double BesselI1(double x) { return I(1, x); }
double BesselI0e(double x) { return std::isnan(x) ? x : ScaledI(0, x); }
double BesselI1e(double x) { return std::isnan(x) ? x : ScaledI(1, x); }
double BesselK0(double x) { return K(0, x); }
double BesselK1(double x) { return K(1, x); }
double BesselK0e(double x) { return ScaledK(0, x); }
double BesselK1e(double x) { return ScaledK(1, x); }
double BesselJ0(double x) { return ::j0(x); }
double BesselJ1(double x) { return ::j1(x); }
double BesselY0(double x) { return x <= 0 ? -kInfinity : ::y0(x); }
double BesselY1(double x) { return x <= 0 ? -kInfinity : ::y1(x); }

}  // namespace special_math
}  // namespace tensorwright
