// SPDX-License-Identifier: Apache-2.0
// The SIMD loops against the C library in double precision: every length up to
// two vectors and more, every misalignment, in place, and special values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <template <typename> class F>
long double Exact(long double x) {
  return F<long double>()(x);
}

// The vector loops of a row of the table, and the functor they must agree with.
struct UnaryRow {
  const char* op;
  void (*floats)(const float*, float*, int64_t);
  void (*doubles)(const double*, double*, int64_t);
  long double (*exact)(long double);

  void Run(const float* x, float* y, int64_t n) const { floats(x, y, n); }
  void Run(const double* x, double* y, int64_t n) const { doubles(x, y, n); }
};

const UnaryRow kUnaryRows[] = {
#define TW_UNARY(op, cost, types, gpu, flags, ...)              \
  {#op, SimdLoop<functor::op>::Run, SimdLoop<functor::op>::Run, \
   Exact<functor::op>},
#include "core/kernels/lib/cwise_table.h"
};

// The source of random arguments, and the units in the last place by which a
// result may be off.
struct Bounds {
  const char* op;
  double low, high;
  double ulps;
};

const Bounds kBounds[] = {
    {"Neg", -9, 9, 0},         {"Abs", -9, 9, 0},
    {"Square", -9, 9, 0.6},    {"Sqrt", 0, 99, 0.6},
    {"Rsqrt", 0.01, 99, 2},    {"Reciprocal", -9, 9, 0.6},
    {"Exp", -80, 80, 3},       {"Expm1", -20, 20, 5},
    {"Log", 1e-3, 1e5, 5},     {"Log1p", -0.9, 99, 5},
    {"Sin", -3, 3, 5},         {"Cos", -1.5, 1.5, 5},
    {"Tanh", -15, 15, 6},      {"Sigmoid", -30, 30, 5},
    {"Floor", -99, 99, 0},     {"Ceil", -99, 99, 0},
    {"Rint", -99, 99, 0},      {"Relu", -9, 9, 0},
    {"Relu6", -9, 9, 0},       {"Elu", -9, 9, 5},
    {"Softplus", -30, 30, 8},  {"Softsign", -9, 9, 2},
    {"Tan", -1.5, 1.5, 6},     {"Sinh", -20, 20, 6},
    {"Cosh", -20, 20, 6},      {"Asin", -1, 1, 6},
    {"Acos", -1, 1, 6},        {"Atan", -20, 20, 6},
    {"Asinh", -20, 20, 6},     {"Acosh", 1, 20, 6},
    {"Atanh", -0.99, 0.99, 6}, {"Erf", -4, 4, 8},
    {"Erfc", -3, 9, 8},        {"Digamma", 2, 50, 12},
    {"Selu", -9, 9, 6},
};

// A row without bounds fails the test that asks for them.
Bounds BoundsOf(const UnaryRow& row) {
  for (const Bounds& bounds : kBounds) {
    if (std::string(row.op) == bounds.op) return bounds;
  }
  ADD_FAILURE() << row.op << " needs a line in kBounds";
  return {row.op, 0, 1, 0};
}

// |actual - exact| in units in the last place of a T at `exact`.
template <typename T>
double UlpError(T actual, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded)) return std::isnan(actual) ? 0 : kInf;
  if (std::isinf(rounded) || std::isinf(actual)) {
    return actual == rounded ? 0 : kInf;
  }
  const T magnitude =
      std::max(std::abs(rounded), std::numeric_limits<T>::min());
  const T ulp =
      std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::abs(actual - exact) / ulp);
}

template <typename T>
class CwiseSimdTest : public ::testing::Test {};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CwiseSimdTest, FloatTypes);

TYPED_TEST(CwiseSimdTest, UnaryIsAccurateAtEveryLengthAndAlignment) {
  using T = TypeParam;
  std::mt19937 random(1);
  for (const UnaryRow& row : kUnaryRows) {
    const Bounds bounds = BoundsOf(row);
    std::uniform_real_distribution<double> values(bounds.low, bounds.high);
    for (int n = 0; n < 70; ++n) {
      const int shift = n % 5;
      std::vector<T> x(n + 8), y(n + 8, T(-77));
      for (T& v : x) v = static_cast<T>(values(random));
      row.Run(x.data() + shift, y.data() + shift, n);
      for (int i = 0; i < n; ++i) {
        ASSERT_LE(UlpError(y[shift + i], row.exact(x[shift + i])), bounds.ulps)
            << row.op << "(" << x[shift + i] << ") = " << y[shift + i];
      }
      ASSERT_EQ(y[shift + n], T(-77)) << row.op << " wrote past " << n;
      std::vector<T> in_place = x;
      row.Run(in_place.data() + shift, in_place.data() + shift, n);
      for (int i = shift; i < shift + n; ++i) ASSERT_EQ(in_place[i], y[i]);
    }
  }
}

TYPED_TEST(CwiseSimdTest, SpecialValuesAreThoseOfTheCLibrary) {
  using T = TypeParam;
  const T big = std::numeric_limits<T>::max();
  const std::vector<T> specials = {
      T(0),     T(-0.0),  T(kInf),
      T(-kInf), T(kNan),  big,
      -big,     T(1e-30), T(-1),
      T(1),     T(100),   T(-100),
      T(1000),  T(-1000), T(1e7),
      T(-1e7),  T(1e-9),  std::numeric_limits<T>::min()};
  for (const UnaryRow& row : kUnaryRows) {
    const double ulps = std::max(BoundsOf(row).ulps, 8.0);
    std::vector<T> y(specials.size());
    row.Run(specials.data(), y.data(), specials.size());
    for (size_t i = 0; i < specials.size(); ++i) {
      EXPECT_LE(UlpError(y[i], row.exact(specials[i])), ulps)
          << row.op << "(" << specials[i] << ") = " << y[i] << ", not "
          << static_cast<T>(row.exact(specials[i]));
    }
  }
}

template <typename T>
using BinaryRun = void (*)(const T*, const T*, T*, int64_t, int, int);

struct BinaryRow {
  const char* op;
  BinaryRun<float> floats;
  BinaryRun<double> doubles;
  BinaryRun<int32_t> integers;  // Null: there is none.
  double (*exact)(double, double);
  int32_t (*exact_integer)(int32_t, int32_t);

  void Run(const float* x, const float* y, float* z, int64_t n, int x_step,
           int y_step) const {
    floats(x, y, z, n, x_step, y_step);
  }
  void Run(const double* x, const double* y, double* z, int64_t n, int x_step,
           int y_step) const {
    doubles(x, y, z, n, x_step, y_step);
  }
};

template <template <typename> class F, typename T>
T ExactBinary(T x, T y) {
  return F<T>()(x, y);
}

template <template <typename> class F>
BinaryRow MakeBinaryRow(const char* op) {
  BinaryRow row{op,      SimdLoop<F>::Run,        SimdLoop<F>::Run,
                nullptr, &ExactBinary<F, double>, nullptr};
  if constexpr (SimdLoop<F>::kOfIntegers) {
    row.integers = SimdLoop<F>::Run;
    row.exact_integer = &ExactBinary<F, int32_t>;
  }
  return row;
}

const BinaryRow kBinaryRows[] = {
#define TW_BINARY(op, cost, types, gpu, flags, ...) \
  MakeBinaryRow<functor::op>(#op),
#include "core/kernels/lib/cwise_table.h"
};

TYPED_TEST(CwiseSimdTest, BinaryIsRightForEveryLengthAndStep) {
  using T = TypeParam;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> values(-4, 8);
  for (const BinaryRow& row : kBinaryRows) {
    for (int n = 0; n < 70; ++n) {
      for (int steps = 0; steps < 4; ++steps) {
        const int x_step = steps & 1, y_step = steps >> 1, shift = n % 3;
        std::vector<T> x(n + 8), y(n + 8), z(n + 8, T(-77));
        for (T& v : x) v = static_cast<T>(values(random));
        for (T& v : y) v = static_cast<T>(values(random));
        row.Run(x.data() + shift, y.data() + 1, z.data() + shift, n, x_step,
                y_step);
        for (int i = 0; i < n; ++i) {
          const double exact =
              row.exact(x[shift + i * x_step], y[1 + i * y_step]);
          if (std::isnan(exact)) {
            ASSERT_TRUE(std::isnan(z[shift + i])) << row.op;
            continue;
          }
          ASSERT_NEAR(
              z[shift + i], exact,
              (1 + std::abs(exact)) * 16 * std::numeric_limits<T>::epsilon())
              << row.op << "(" << x[shift + i * x_step] << ", "
              << y[1 + i * y_step] << ")";
        }
        ASSERT_EQ(z[shift + n], T(-77)) << row.op << " wrote past " << n;
      }
    }
  }
}

TYPED_TEST(CwiseSimdTest, NanOnEitherSideIsTheExtremum) {
  using T = TypeParam;
  const T x[] = {T(kNan), T(1), T(kNan), T(2)};
  const T y[] = {T(1), T(kNan), T(kNan), T(3)};
  T z[4];
  SimdLoop<functor::Maximum>::Run(x, y, z, 4, 1, 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(z[i])) << i;
  EXPECT_EQ(z[3], T(3));
  SimdLoop<functor::Minimum>::Run(x, y, z, 4, 1, 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(z[i])) << i;
  EXPECT_EQ(z[3], T(2));
}

TEST(CwiseSimdIntegerTest, ArithmeticWraps) {
  const int32_t big = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> x = {big, -5, 7, 1 << 20}, y = {1, 3, -7, 1 << 13};
  std::vector<int32_t> z(4);
  SimdLoop<functor::Add>::Run(x.data(), y.data(), z.data(), 4, 1, 1);
  EXPECT_EQ(z, (std::vector<int32_t>{std::numeric_limits<int32_t>::min(), -2, 0,
                                     (1 << 20) + (1 << 13)}));
  SimdLoop<functor::Mul>::Run(x.data(), y.data(), z.data(), 4, 1, 1);
  EXPECT_EQ(z, (std::vector<int32_t>{big, -15, -49, 0}));
  SimdLoop<functor::Maximum>::Run(x.data(), y.data(), z.data(), 4, 1, 0);
  EXPECT_EQ(z, (std::vector<int32_t>{big, 1, 7, 1 << 20}));
}

TEST(CwiseSimdIntegerTest, EveryLoopAgreesWithItsFunctor) {
  std::mt19937 random(3);
  int loops = 0;
  for (const BinaryRow& row : kBinaryRows) {
    if (row.integers == nullptr) continue;
    ++loops;
    for (int n = 0; n < 40; ++n) {
      std::vector<int32_t> x(n + 1), y(n + 1), z(n + 1, -77);
      for (int32_t& v : x) v = static_cast<int32_t>(random());
      for (int32_t& v : y) v = static_cast<int32_t>(random());
      row.integers(x.data(), y.data(), z.data(), n, 1, 1);
      for (int i = 0; i < n; ++i) {
        ASSERT_EQ(z[i], row.exact_integer(x[i], y[i])) << row.op;
      }
      ASSERT_EQ(z[n], -77) << row.op << " wrote past " << n;
    }
  }
  EXPECT_EQ(loops, 5);
}

TEST(CwiseFunctorTest, IntegerDivisionRoundsAsNamed) {
  EXPECT_EQ(functor::Div<int32_t>()(-7, 2), -3);
  EXPECT_EQ(functor::FloorDiv<int32_t>()(-7, 2), -4);
  EXPECT_EQ(functor::FloorDiv<int32_t>()(7, -2), -4);
  EXPECT_EQ(functor::FloorDiv<int32_t>()(-8, 2), -4);
  EXPECT_EQ(functor::Mod<int32_t>()(-7, 3), -1);
  EXPECT_EQ(functor::FloorMod<int32_t>()(-7, 3), 2);
  EXPECT_EQ(functor::FloorMod<int32_t>()(7, -3), -2);
  EXPECT_EQ(functor::FloorMod<double>()(-7, 3), 2);
}

TEST(CwiseFunctorTest, TheMostNegativeIntegerHarmsNobody) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(functor::Div<int64_t>()(kMin, -1), kMin);
  EXPECT_EQ(functor::Mod<int64_t>()(kMin, -1), 0);
  EXPECT_EQ(functor::FloorMod<int64_t>()(kMin, -1), 0);
  EXPECT_EQ(functor::Neg<int64_t>()(kMin), kMin);
  EXPECT_EQ(functor::Abs<int64_t>()(kMin), kMin);
}

TEST(CwiseFunctorTest, DigammaIsTheDerivativeOfLgamma) {
  for (double x : {-3.5, -0.25, 0.1, 1.0, 2.5, 9.9, 50.0}) {
    const double h = 1e-5;
    const double slope = (std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h);
    EXPECT_NEAR(functor::Digamma<double>()(x), slope, 1e-6) << x;
  }
  EXPECT_TRUE(std::isnan(functor::Digamma<double>()(-2)));
}

TEST(CwiseFunctorTest, DigammaKeepsItsDigitsBesideItsPoles) {
  constexpr double kEulerGamma = 0.57721566490153286;
  const functor::Digamma<double> digamma;
  // digamma(x) = -1 / x - gamma + O(x).
  for (double x : {-1e-20, -1e-9, 1e-9, 1e-20}) {
    EXPECT_NEAR(digamma(x) / (-1 / x - kEulerGamma), 1, 1e-14) << x;
  }
  // The recurrence, digamma(x) = digamma(x + 1) - 1 / x, around the pole -3.
  for (double h : {-0x1p-30, -0x1p-50, 0x1p-50, 0x1p-30}) {
    const double x = -3 + h;
    EXPECT_NEAR(digamma(x) / (digamma(x + 1) - 1 / x), 1, 1e-14) << h;
  }
  EXPECT_EQ(digamma(0.), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(digamma(-0.), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace tensorwright
