// SPDX-License-Identifier: Apache-2.0
#include "core/lib/random/philox_random.h"

#include <cmath>

#include "core/lib/random/random_distributions.h"
#include "core/lib/random/simple_philox.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace random {
namespace {

struct KnownAnswer {
  uint32_t counter[4], key[2], result[4];
};

// Random123's kat_vectors for philox4x32 with 10 rounds.
constexpr KnownAnswer kKnownAnswers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(PhiloxTest, GivesThePublishedNumbers) {
  for (const KnownAnswer& answer : kKnownAnswers) {
    PhiloxRandom::ResultType counter;
    for (int i = 0; i < 4; ++i) counter[i] = answer.counter[i];
    PhiloxRandom::Key key;
    for (int i = 0; i < 2; ++i) key[i] = answer.key[i];
    PhiloxRandom gen(counter, key);
    const PhiloxRandom::ResultType result = gen();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(result[i], answer.result[i]);
  }
}

TEST(PhiloxTest, SkipIsManyCalls) {
  for (uint64_t n : {0, 1, 2, 100}) {
    PhiloxRandom stepped(1, 2), skipped(1, 2);
    for (uint64_t i = 0; i < n; ++i) stepped();
    skipped.Skip(n);
    EXPECT_EQ(stepped()[3], skipped()[3]);
  }
}

TEST(PhiloxTest, SkipCarriesThroughTheWholeCounter) {
  PhiloxRandom::ResultType counter;
  for (int i = 0; i < 4; ++i) counter[i] = 0xffffffff;
  PhiloxRandom gen(counter, PhiloxRandom::Key());
  gen.Skip(1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(gen.counter()[i], 0u);
  gen.Skip(uint64_t{5} << 32);
  EXPECT_EQ(gen.counter()[1], 5u);
}

TEST(DistributionsTest, UniformIsInItsRange) {
  PhiloxRandom gen(7);
  UniformDistribution<PhiloxRandom, float> floats;
  UniformDistribution<PhiloxRandom, int32_t> ints(-3, 4);
  UniformDistribution<PhiloxRandom, int64_t> longs(
      INT64_MIN, INT64_MAX);  // The range does not fit an int64.
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto f = floats(&gen);
    const auto n = ints(&gen);
    for (int j = 0; j < 4; ++j) {
      ASSERT_GE(f[j], 0.0f);
      ASSERT_LT(f[j], 1.0f);
      ASSERT_GE(n[j], -3);
      ASSERT_LT(n[j], 4);
      sum += f[j];
    }
    longs(&gen);
  }
  EXPECT_NEAR(sum / 40000, 0.5, 0.01);
}

TEST(DistributionsTest, FullIntegersAreTheGeneratorsBits) {
  PhiloxRandom words(7), narrow(7), wide(7);
  UniformFullIntDistribution<PhiloxRandom, int32_t> int32s;
  UniformFullIntDistribution<PhiloxRandom, uint64_t> uint64s;
  for (int i = 0; i < 100; ++i) {
    const auto w = words();
    const auto n = int32s(&narrow);
    for (int j = 0; j < 4; ++j) EXPECT_EQ(static_cast<uint32_t>(n[j]), w[j]);
    const auto u = uint64s(&wide);
    EXPECT_EQ(u[0], w[0] | uint64_t{w[1]} << 32);
    EXPECT_EQ(u[1], w[2] | uint64_t{w[3]} << 32);
  }
}

// Random123's first block, and the numbers that IEEE 754 and the C library make
// from it.
TEST(DistributionsTest, ValuesOfTheFirstBlock) {
  PhiloxRandom::ResultType words = PhiloxRandom(0)();
  PhiloxRandom gen(0);
  const auto f = UniformDistribution<PhiloxRandom, float>()(&gen);
  gen = PhiloxRandom(0);
  const auto d = UniformDistribution<PhiloxRandom, double>()(&gen);
  gen = PhiloxRandom(0);
  const auto h = UniformDistribution<PhiloxRandom, Eigen::half>()(&gen);
  gen = PhiloxRandom(0);
  const auto b = UniformDistribution<PhiloxRandom, Eigen::bfloat16>()(&gen);
  gen = PhiloxRandom(0);
  const auto normal = NormalDistribution<PhiloxRandom, double>()(&gen);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(f[i], std::ldexp(words[i] % (1 << 23), -23));
    EXPECT_EQ(static_cast<float>(h[i]), std::ldexp(words[i] % (1 << 10), -10));
    EXPECT_EQ(static_cast<float>(b[i]), std::ldexp(words[i] % (1 << 7), -7));
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(d[i], std::ldexp(words[2 * i] % (1 << 20), -20) +
                        std::ldexp(words[2 * i + 1], -52));
  }
  const double radius = std::sqrt(-2 * std::log(d[0]));
  EXPECT_NEAR(normal[0], radius * std::sin(2 * M_PI * d[1]), 1e-15);
  EXPECT_NEAR(normal[1], radius * std::cos(2 * M_PI * d[1]), 1e-15);
}

TEST(DistributionsTest, NormalHasItsMoments) {
  PhiloxRandom gen(7);
  NormalDistribution<PhiloxRandom, double> normal;
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto x = normal(&gen);
    for (int j = 0; j < x.size(); ++j) {
      sum += x[j];
      squares += x[j] * x[j];
    }
  }
  EXPECT_NEAR(sum / 40000, 0, 0.02);
  EXPECT_NEAR(squares / 40000, 1, 0.03);
}

TEST(DistributionsTest, TruncatedNormalStaysWithinTwo) {
  PhiloxRandom gen(7);
  SingleSampleAdapter<PhiloxRandom> single(&gen);
  TruncatedNormalDistribution<SingleSampleAdapter<PhiloxRandom>, float> dist;
  for (int i = 0; i < 10000; ++i) {
    const auto x = dist(&single);
    for (int j = 0; j < 4; ++j) ASSERT_LT(std::abs(x[j]), 2.0f);
  }
}

TEST(SingleSampleAdapterTest, SkipIsManySamples) {
  for (uint64_t before : {0, 1, 3, 4}) {
    for (uint64_t n : {0, 1, 3, 4, 5, 9}) {
      PhiloxRandom a(3), b(3);
      SingleSampleAdapter<PhiloxRandom> stepped(&a), skipped(&b);
      for (uint64_t i = 0; i < before; ++i) stepped(), skipped();
      for (uint64_t i = 0; i < n; ++i) stepped();
      skipped.Skip(n);
      EXPECT_EQ(stepped(), skipped()) << before << " " << n;
    }
  }
}

TEST(SimplePhiloxTest, UniformHitsAllAndNothingElse) {
  PhiloxRandom gen(1);
  SimplePhilox simple(&gen);
  int seen[7] = {};
  for (int i = 0; i < 7000; ++i) {
    const uint32_t x = simple.Uniform(7);
    ASSERT_LT(x, 7u);
    ++seen[x];
  }
  for (int n : seen) EXPECT_NEAR(n, 1000, 150);
  EXPECT_EQ(simple.Uniform(0), 0u);
  EXPECT_EQ(simple.Uniform(1), 0u);
}

}  // namespace
}  // namespace random
}  // namespace tensorwright
