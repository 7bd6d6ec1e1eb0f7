// SPDX-License-Identifier: Apache-2.0
// Gemm against three loops, over edges of blocks and every transposition.

#include "core/kernels/lib/gemm.h"

#include <complex>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"

namespace tensorwright {
namespace {

template <typename T>
class GemmTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, int32_t, int64_t,
                               std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GemmTest, Types);

// Small integers, so that every sum is exact in every type.
template <typename T>
std::vector<T> RandomMatrix(int64_t size, std::mt19937* random) {
  std::vector<T> m(size);
  for (T& x : m) x = static_cast<T>(static_cast<int>((*random)() % 7) - 3);
  return m;
}

template <typename T>
void CheckProduct(int64_t m, int64_t n, int64_t k, int transposed) {
  std::mt19937 random(m + 10 * n + 100 * k);
  const auto a = RandomMatrix<T>(m * k, &random);
  const auto b = RandomMatrix<T>(k * n, &random);
  std::vector<T> c(m * n, T(9));
  const bool ta = transposed & 1, tb = transposed & 2, tc = transposed & 4;
  const MatrixRef<const T> ma{a.data(), ta ? m : k, ta};
  const MatrixRef<const T> mb{b.data(), tb ? k : n, tb};
  const MatrixRef<T> mc{c.data(), tc ? m : n, tc};
  GemmOnThisThread<T>(m, n, k, ma, mb, /*accumulate=*/false, mc);
  GemmOnThisThread<T>(m, n, k, ma, mb, /*accumulate=*/true, mc);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum(0);
      for (int64_t p = 0; p < k; ++p) {
        sum += ma.data[i * ma.row_step() + p * ma.col_step()] *
               mb.data[p * mb.row_step() + j * mb.col_step()];
      }
      ASSERT_EQ(mc.data[i * mc.row_step() + j * mc.col_step()], sum + sum)
          << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
  }
}

TYPED_TEST(GemmTest, MatchesThreeLoops) {
  for (int64_t m : {1, 5, 13, 97}) {
    for (int64_t n : {1, 7, 33, 385}) {
      for (int64_t k : {0, 1, 6, 257}) {
        for (int transposed = 0; transposed < 8; ++transposed) {
          CheckProduct<TypeParam>(m, n, k, transposed);
        }
      }
    }
  }
}

// Uses more than one block of k, so that the sums of blocks wrap, too.
template <typename T>
void CheckWrapping() {
  using U = std::make_unsigned_t<T>;
  constexpr int64_t kM = 3, kN = 5, kK = 600;
  std::mt19937_64 random(1);
  std::vector<T> a(kM * kK), b(kK * kN), c(kM * kN);
  for (T& x : a) x = static_cast<T>(random());
  for (T& x : b) x = static_cast<T>(random());
  GemmOnThisThread<T>(kM, kN, kK, {a.data(), kK, false}, {b.data(), kN, false},
                      /*accumulate=*/false, {c.data(), kN, false});
  for (int64_t i = 0; i < kM; ++i) {
    for (int64_t j = 0; j < kN; ++j) {
      U sum = 0;
      for (int64_t p = 0; p < kK; ++p) {
        sum += static_cast<U>(a[i * kK + p]) * static_cast<U>(b[p * kN + j]);
      }
      EXPECT_EQ(static_cast<U>(c[i * kN + j]), sum) << i << "," << j;
    }
  }
}

TEST(GemmIntegersTest, Wrap) {
  CheckWrapping<int32_t>();
  CheckWrapping<int64_t>();
}

}  // namespace
}  // namespace tensorwright
