// SPDX-License-Identifier: Apache-2.0
// Special functions.  Most are Boost.Math's; zeta, polygamma and the incomplete
// Gamma functions of moderate arguments are our own.

#include "core/kernels/math/special_math.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "boost/math/special_functions/beta.hpp"
#include "boost/math/special_functions/gamma.hpp"
#include "core/kernels/lib/cwise_functors.h"

namespace tensorwright {
namespace special_math {
namespace {

namespace policies = boost::math::policies;

// An argument in which Boost finds an error gives NaN or infinity, and each
// type computes in itself.
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

// Returns true, and the value of P, if the arguments are at an end of the
// incomplete Gamma functions' domain or outside it.
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

// ---- Incomplete Gamma functions of moderate arguments -----------------------

// The size below which a term of the series counts for nothing, the same for a
// change of the fraction, and the largest P whose complement still has enough
// digits.
struct IgammaPrecision {
  double last_term, last_change, most_to_subtract;
};
template <typename T>
constexpr IgammaPrecision kIgammaPrecision = {0x1p-54, 0x1p-54, 0.95};
template <>
constexpr IgammaPrecision kIgammaPrecision<float> = {0x1p-38, 0x1p-28, 0.999};

// x^a e^-x / Gamma(a + 1).
template <typename T>
double IgammaPrefix(double a, double x) {
  // 1 / Gamma(1 + t), |t| <= 1/2, by its Taylor series (DLMF 5.7.1).
  constexpr double kCoefficients[20] = {
      7.78226343990507081432e-12,  1.04342671169110053979e-10,
      -1.18127457048702004406e-09, 5.00200764446922294544e-09,
      6.11609510448141608721e-09,  -2.05633841697760707339e-07,
      1.13302723198169592860e-06,  -1.25049348214267063072e-06,
      -2.01348547807882386862e-05, 1.28050282388116195512e-04,
      -2.15241674114950975192e-04, -1.16516759185906516871e-03,
      7.21894324666309990246e-03,  -9.62197152787697303211e-03,
      -4.21977345555443333902e-02, 1.66538611382291479313e-01,
      -4.20026350340952370210e-02, -6.55878071520253902449e-01,
      5.77215664901532865549e-01,  1};
  const int whole = static_cast<int>(a + 0.5);
  const double t = a - whole;
  // Odd and even powers are summed side by side, which halves the wait.
  double odd = 0, even = 0;
  for (int i = 0; i < 20; i += 2) {
    odd = odd * (t * t) + kCoefficients[i];
    even = even * (t * t) + kCoefficients[i + 1];
  }
  const double reciprocal = odd * t + even;
  double product = 1;
  for (int i = 1; i <= whole; ++i) product *= t + i;
  // The digits that the logarithm loses are none that a float has.
  const double power = std::is_same_v<T, float> ? std::exp(a * std::log(x) - x)
                                                : std::pow(x, a) * std::exp(-x);
  return power * reciprocal / product;
}

// P / prefix: the sum over n >= 0 of x^n / ((a + 1) ... (a + n)) (DLMF 8.7.1).
// One division serves two terms.
template <typename T>
double IgammaSeries(double a, double x) {
  double sum = 1, term = 1, d = a + 2;
  do {
    const double ratio = x / (d * (d - 1));
    sum += term * (ratio * (d + x));
    term *= ratio * x;
    d += 2;
  } while (term > kIgammaPrecision<T>.last_term * sum);
  return sum;
}

// Q / (a prefix): 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), x > a (DLMF
// 8.9.2, contracted).  Numerators and denominators follow their recurrences
// upwards, which need no division; the denominators are the dominant solution.
template <typename T>
double IgammaFraction(double a, double x) {
  double b = x + 1 - a;
  double p_before = 0, p = 1, q_before = 1, q = b;
  double n = 1;
  const auto step = [&] {
    const double factor = n * (a - n);
    b += 2;
    const double p_next = b * p + factor * p_before;
    const double q_next = b * q + factor * q_before;
    p_before = p, q_before = q;
    p = p_next, q = q_next;
    n += 1;
  };
  do {
    step();
    step();
    if (q > 1e100) {
      p *= 1e-100, p_before *= 1e-100;
      q *= 1e-100, q_before *= 1e-100;
    }
  } while (std::fabs(p * q_before - p_before * q) >
           kIgammaPrecision<T>.last_change * p * q_before);
  return p / q;
}

// Computes P or, if kUpper, Q; returns false if Boost.Math does better.
template <typename T, bool kUpper>
bool IgammaOfModerate(T a, T x, T* result) {
  if (a > 20 || x > 100 || (x < T(1e-6) && a > 1)) return false;
  const double prefix = IgammaPrefix<T>(a, x);
  if (x < 4 || x < a + 1) {
    const double p = prefix * IgammaSeries<T>(a, x);
    if (!kUpper || p <= kIgammaPrecision<T>.most_to_subtract) {
      *result = static_cast<T>(kUpper ? 1 - p : p);
      return true;
    }
    if (x < 1) return false;
  }
  const double q = prefix * a * IgammaFraction<T>(a, x);
  *result = static_cast<T>(kUpper ? q : 1 - q);
  return true;
}

// Far from a, either P or Q is less than e^(a - x + a log(x / a)) (Chernoff's
// bound).  Returns true if the requested one rounds to 0, or to 1 because the
// other is that small.
template <typename T, bool kUpper>
bool IgammaInTail(T a, T x, T* result) {
  // Logarithms of less than half a unit in the last place of 1, and of half the
  // least positive number.
  constexpr double kNoDigit = std::is_same_v<T, float> ? -18 : -38;
  constexpr double kNothing = std::is_same_v<T, float> ? -105 : -747;
  const double rounding = 1e-15 * (double{a} + x);
  const double bound = double{a} - x + a * std::log(double{x} / a) + rounding;
  const bool is_small_one = (x > a) == kUpper;
  *result = is_small_one ? T(0) : T(1);
  return bound < (is_small_one ? kNothing : kNoDigit);
}

// ---- Zeta and polygamma ---------------------------------------------------

// The size below which a term of a type's series counts for nothing, and the
// number of terms that come before the formula for the rest.
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

// Returns the sum over n >= 0 of (q + n)^-s, q > 0, s > 1.
double ZetaOfPositive(double s, double q, Precision precision) {
  if (std::isinf(q)) return 0;
  if (std::isinf(s)) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  const double tiny = precision.tiny;
  // Sums ten terms one by one, or as many as lead beyond 9; then the formula is
  // exact to the last place, because its error falls faster with s / q than the
  // terms already summed.  Six terms and 5 are enough for floats.
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
  // Terms of negative q + n are (-1)^s times those of the numbers from the
  // fraction of -q up to -q.
  const double fraction = -q - std::floor(-q);
  const double below = ZetaOfPositive(s, fraction, precision);
  const double above = ZetaOfPositive(s, 1 - fraction, precision);
  const double beyond = ZetaOfPositive(s, 1 - q, precision);
  // Odd powers on both sides of 0 cancel, and all of them do at a fraction of
  // one half, so they are subtracted before `beyond` is added.
  return even ? below + above - beyond : (above - below) + beyond;
}

double PolygammaOfDoubles(double n, double x, Precision precision) {
  if (std::isnan(n) || std::isnan(x) || n < 0 || n != std::floor(n)) {
    return kNaN;
  }
  if (n == 0) return functor::Digamma<double>()(x);
  const double zeta = ZetaOfDoubles(n + 1, x, precision);
  // n! is finite up to 170.
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
  if (IgammaOfModerate<T, false>(a, x, &p)) return p;
  if (IgammaInTail<T, false>(a, x, &p)) return p;
  return boost::math::gamma_p(a, x, Quiet());
}

template <typename T>
T Igammac(T a, T x) {
  T p;
  if (IgammaAtEnds(a, x, &p)) return 1 - p;
  T q;
  if (IgammaOfModerate<T, true>(a, x, &q)) return q;
  if (IgammaInTail<T, true>(a, x, &q)) return q;
  return boost::math::gamma_q(a, x, Quiet());
}

template <typename T>
T Betainc(T a, T b, T x) {
  // NaN fails these comparisons, so they are negated.
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
  if constexpr (std::is_same_v<T, float>) {
    // A float does not have enough digits near the mean of a narrow density.
    constexpr float kNarrow = 300;
    if (a > kNarrow || b > kNarrow) {
      return static_cast<float>(Betainc<double>(a, b, x));
    }
  }
  try {
    return boost::math::ibeta(a, b, x, Quiet());
  } catch (const std::overflow_error&) {
    // For a whole a and a small whole b Boost uses a binomial sum, whose
    // coefficients may overflow, and then it throws whatever the policy says.
    // The next double is not whole.
    const double above = std::nextafter(static_cast<double>(a), kInfinity);
    return static_cast<T>(boost::math::ibeta(above, static_cast<double>(b),
                                             static_cast<double>(x), Quiet()));
  }
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
