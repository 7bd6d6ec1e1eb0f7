// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "core/compat/lib/random/distribution_sampler.h"
#include "core/compat/lib/random/weighted_picker.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace random {
namespace {

TEST(DistributionSamplerTest, FrequenciesFollowWeights) {
  const std::vector<float> weights = {1, 0, 2, 5, 0.5f, 1.5f};
  const DistributionSampler sampler(weights);
  ASSERT_EQ(sampler.num(), 6);
  PhiloxRandom philox(7, 8);
  SimplePhilox rnd(&philox);
  constexpr int kDraws = 100000;
  std::vector<int> counts(6);
  for (int i = 0; i < kDraws; ++i) ++counts[sampler.Sample(&rnd)];
  for (int i = 0; i < 6; ++i) {
    // Four standard deviations of a binomial are < 0.7 %.
    EXPECT_NEAR(counts[i] / double{kDraws}, weights[i] / 10, 0.007) << i;
  }
  EXPECT_EQ(counts[1], 0);
}

TEST(DistributionSamplerTest, OneValueIsAlwaysIt) {
  const DistributionSampler sampler({0.3f});
  PhiloxRandom philox(1, 2);
  SimplePhilox rnd(&philox);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(sampler.Sample(&rnd), 0);
}

TEST(WeightedPickerTest, SharesLieInOrder) {
  WeightedPicker picker(3);
  picker.set_weight(0, 2);
  picker.set_weight(1, 0);
  picker.Append(4);
  EXPECT_EQ(picker.num_elements(), 4);
  EXPECT_EQ(picker.total_weight(), 7);
  const std::vector<int> expected = {0, 0, 2, 3, 3, 3, 3, -1};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(picker.PickAt(i), expected[i]) << i;
  EXPECT_EQ(picker.PickAt(-1), -1);
  picker.Append(1);
  picker.Resize(4);
  EXPECT_EQ(picker.get_weight(3), 4);
  EXPECT_EQ(picker.total_weight(), 7);
}

TEST(WeightedPickerTest, PicksByWeight) {
  WeightedPicker picker(0);
  PhiloxRandom philox(3, 4);
  SimplePhilox rnd(&philox);
  EXPECT_EQ(picker.Pick(&rnd), -1);
  const int32_t weights[] = {0, 3, 1};
  picker.SetWeightsFromArray(3, weights);
  std::vector<int> counts(3);
  for (int i = 0; i < 40000; ++i) ++counts[picker.Pick(&rnd)];
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[1] / 40000.0, 0.75, 0.01);
  picker.SetAllWeights(0);
  EXPECT_EQ(picker.Pick(&rnd), -1);
}

}  // namespace
}  // namespace random
}  // namespace tensorwright
