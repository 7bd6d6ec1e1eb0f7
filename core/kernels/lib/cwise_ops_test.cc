// SPDX-License-Identifier: Apache-2.0
// The SIMD loops against the C library in double precision: every length up to
// two vectors and more, every misalignment, in place, and special values.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct UnaryCase {
  const char* name;
  SimdUnaryOp op;
  long double (*exact)(long double);
  double low, high;  // Where random arguments come from.
  double ulps;
};

template <template <typename> class F>
long double Exact(long double x) {
  return F<long double>()(x);
}

const UnaryCase kUnaryCases[] = {
    {"Neg", SimdUnaryOp::kNeg, Exact<functor::Neg>, -9, 9, 0},
    {"Abs", SimdUnaryOp::kAbs, Exact<functor::Abs>, -9, 9, 0},
    {"Square", SimdUnaryOp::kSquare, Exact<functor::Square>, -9, 9, 0.6},
    {"Sqrt", SimdUnaryOp::kSqrt, Exact<functor::Sqrt>, 0, 99, 0.6},
    {"Rsqrt", SimdUnaryOp::kRsqrt, Exact<functor::Rsqrt>, 0.01, 99, 2},
    {"Reciprocal", SimdUnaryOp::kReciprocal, Exact<functor::Reciprocal>, -9, 9,
     0.6},
    {"Exp", SimdUnaryOp::kExp, Exact<functor::Exp>, -80, 80, 3},
    {"Expm1", SimdUnaryOp::kExpm1, Exact<functor::Expm1>, -20, 20, 5},
    {"Log", SimdUnaryOp::kLog, Exact<functor::Log>, 1e-3, 1e5, 5},
    {"Log1p", SimdUnaryOp::kLog1p, Exact<functor::Log1p>, -0.9, 99, 5},
    {"Sin", SimdUnaryOp::kSin, Exact<functor::Sin>, -3, 3, 5},
    {"Cos", SimdUnaryOp::kCos, Exact<functor::Cos>, -1.5, 1.5, 5},
    {"Tanh", SimdUnaryOp::kTanh, Exact<functor::Tanh>, -15, 15, 6},
    {"Sigmoid", SimdUnaryOp::kSigmoid, Exact<functor::Sigmoid>, -30, 30, 5},
    {"Floor", SimdUnaryOp::kFloor, Exact<functor::Floor>, -99, 99, 0},
    {"Ceil", SimdUnaryOp::kCeil, Exact<functor::Ceil>, -99, 99, 0},
    {"Rint", SimdUnaryOp::kRint, Exact<functor::Rint>, -99, 99, 0},
    {"Relu", SimdUnaryOp::kRelu, Exact<functor::Relu>, -9, 9, 0},
    {"Relu6", SimdUnaryOp::kRelu6, Exact<functor::Relu6>, -9, 9, 0},
    {"Elu", SimdUnaryOp::kElu, Exact<functor::Elu>, -9, 9, 5},
    {"Softplus", SimdUnaryOp::kSoftplus, Exact<functor::Softplus>, -30, 30, 8},
    {"Softsign", SimdUnaryOp::kSoftsign, Exact<functor::Softsign>, -9, 9, 2},
};

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
  for (const UnaryCase& c : kUnaryCases) {
    std::uniform_real_distribution<double> values(c.low, c.high);
    for (int n = 0; n < 70; ++n) {
      const int shift = n % 5;
      std::vector<T> x(n + 8), y(n + 8, T(-77));
      for (T& v : x) v = static_cast<T>(values(random));
      SimdUnary(c.op, x.data() + shift, y.data() + shift, n);
      for (int i = 0; i < n; ++i) {
        ASSERT_LE(UlpError(y[shift + i], c.exact(x[shift + i])), c.ulps)
            << c.name << "(" << x[shift + i] << ") = " << y[shift + i];
      }
      ASSERT_EQ(y[shift + n], T(-77)) << c.name << " wrote past " << n;
      std::vector<T> in_place = x;
      SimdUnary(c.op, in_place.data() + shift, in_place.data() + shift, n);
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
  for (const UnaryCase& c : kUnaryCases) {
    std::vector<T> y(specials.size());
    SimdUnary(c.op, specials.data(), y.data(), specials.size());
    for (size_t i = 0; i < specials.size(); ++i) {
      EXPECT_LE(UlpError(y[i], c.exact(specials[i])), std::max(c.ulps, 8.0))
          << c.name << "(" << specials[i] << ") = " << y[i] << ", not "
          << static_cast<T>(c.exact(specials[i]));
    }
  }
}

struct BinaryCase {
  const char* name;
  SimdBinaryOp op;
  std::function<double(double, double)> exact;
};

const BinaryCase kBinaryCases[] = {
    {"Add", SimdBinaryOp::kAdd, functor::Add<double>()},
    {"Sub", SimdBinaryOp::kSub, functor::Sub<double>()},
    {"Mul", SimdBinaryOp::kMul, functor::Mul<double>()},
    {"Div", SimdBinaryOp::kDiv, functor::Div<double>()},
    {"Maximum", SimdBinaryOp::kMaximum, functor::Maximum<double>()},
    {"Minimum", SimdBinaryOp::kMinimum, functor::Minimum<double>()},
    {"SquaredDifference", SimdBinaryOp::kSquaredDifference,
     functor::SquaredDifference<double>()},
    {"TanhGrad", SimdBinaryOp::kTanhGrad, functor::TanhGrad<double>()},
    {"SigmoidGrad", SimdBinaryOp::kSigmoidGrad, functor::SigmoidGrad<double>()},
    {"SqrtGrad", SimdBinaryOp::kSqrtGrad, functor::SqrtGrad<double>()},
    {"RsqrtGrad", SimdBinaryOp::kRsqrtGrad, functor::RsqrtGrad<double>()},
    {"ReciprocalGrad", SimdBinaryOp::kReciprocalGrad,
     functor::ReciprocalGrad<double>()},
    {"ReluGrad", SimdBinaryOp::kReluGrad, functor::ReluGrad<double>()},
    {"Relu6Grad", SimdBinaryOp::kRelu6Grad, functor::Relu6Grad<double>()},
    {"EluGrad", SimdBinaryOp::kEluGrad, functor::EluGrad<double>()},
    {"SoftplusGrad", SimdBinaryOp::kSoftplusGrad,
     functor::SoftplusGrad<double>()},
    {"SoftsignGrad", SimdBinaryOp::kSoftsignGrad,
     functor::SoftsignGrad<double>()},
};

TYPED_TEST(CwiseSimdTest, BinaryIsRightForEveryLengthAndStep) {
  using T = TypeParam;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> values(-4, 8);
  for (const BinaryCase& c : kBinaryCases) {
    for (int n = 0; n < 70; ++n) {
      for (int steps = 0; steps < 4; ++steps) {
        const int x_step = steps & 1, y_step = steps >> 1, shift = n % 3;
        std::vector<T> x(n + 8), y(n + 8), z(n + 8, T(-77));
        for (T& v : x) v = static_cast<T>(values(random));
        for (T& v : y) v = static_cast<T>(values(random));
        SimdBinary(c.op, x.data() + shift, y.data() + 1, z.data() + shift, n,
                   x_step, y_step);
        for (int i = 0; i < n; ++i) {
          const double exact =
              c.exact(x[shift + i * x_step], y[1 + i * y_step]);
          ASSERT_NEAR(
              z[shift + i], exact,
              (1 + std::abs(exact)) * 16 * std::numeric_limits<T>::epsilon())
              << c.name << "(" << x[shift + i * x_step] << ", "
              << y[1 + i * y_step] << ")";
        }
        ASSERT_EQ(z[shift + n], T(-77)) << c.name << " wrote past " << n;
      }
    }
  }
}

TYPED_TEST(CwiseSimdTest, NanOnEitherSideIsTheExtremum) {
  using T = TypeParam;
  const T x[] = {T(kNan), T(1), T(kNan), T(2)};
  const T y[] = {T(1), T(kNan), T(kNan), T(3)};
  for (SimdBinaryOp op : {SimdBinaryOp::kMaximum, SimdBinaryOp::kMinimum}) {
    T z[4];
    SimdBinary(op, x, y, z, 4, 1, 1);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(z[i])) << i;
    EXPECT_EQ(z[3], op == SimdBinaryOp::kMaximum ? T(3) : T(2));
  }
}

TEST(CwiseSimdIntegerTest, ArithmeticWraps) {
  const int32_t big = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> x = {big, -5, 7, 1 << 20}, y = {1, 3, -7, 1 << 13};
  std::vector<int32_t> z(4);
  SimdBinary(SimdBinaryOp::kAdd, x.data(), y.data(), z.data(), 4, 1, 1);
  EXPECT_EQ(z, (std::vector<int32_t>{std::numeric_limits<int32_t>::min(), -2, 0,
                                     (1 << 20) + (1 << 13)}));
  SimdBinary(SimdBinaryOp::kMul, x.data(), y.data(), z.data(), 4, 1, 1);
  EXPECT_EQ(z, (std::vector<int32_t>{big, -15, -49, 0}));
  SimdBinary(SimdBinaryOp::kMaximum, x.data(), y.data(), z.data(), 4, 1, 0);
  EXPECT_EQ(z, (std::vector<int32_t>{big, 1, 7, 1 << 20}));
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
