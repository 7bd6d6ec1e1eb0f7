// SPDX-License-Identifier: Apache-2.0
// Reads every file of the corpus, and 10,000 mutations of them, without a crash
// and within the memory that each target may take.  TW_FUZZ_MUTATED=N: N for
// each target.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"
#include "tools/fuzz/fuzz_targets.h"
#include "tools/fuzz/memory_meter.h"
#include "tools/fuzz/mutate.h"

namespace tensorwright {
namespace fuzz {
namespace {

constexpr int kMutated = 10000;

// The number of mutations for each target.
int Mutated() {
  const char* const asked = std::getenv("TW_FUZZ_MUTATED");
  if (asked != nullptr) return std::atoi(asked);
  return kMutated / static_cast<int>(Targets().size());
}

std::vector<std::string> Corpus(const std::string& target) {
  Env* const env = Env::Default();
  std::vector<std::string> paths;
  TF_CHECK_OK(
      env->GetMatchingPaths("tools/fuzz/corpus/" + target + "/*", &paths));
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const std::string& path : paths) {
    TF_CHECK_OK(ReadFileToString(env, path, &corpus.emplace_back()));
  }
  return corpus;
}

class ReplayTest : public testing::TestWithParam<Target> {};

TEST_P(ReplayTest, TheCorpusIsRead) {
  for (const std::string& bytes : Corpus(GetParam().name)) {
    EXPECT_EQ(RunMeasured(GetParam(), bytes), "");
  }
}

TEST_P(ReplayTest, WhatIsMadeOfItIsReadOrRefused) {
  const std::vector<std::string> corpus = Corpus(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  Mutator mutator(&corpus, /*seed=*/1);
  const int n = Mutated();
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(RunMeasured(GetParam(), mutator.Next()), "") << "input " << i;
  }
}

// The meter sees the memory taken: it finds a target that takes too much.
TEST(MemoryMeterTest, TooMuchIsNoticed) {
  const Target greedy = {
      "greedy",
      [](absl::string_view bytes) {
        std::string(bytes.size() * 100 + (2 << 20), 'x')
            .swap(
                *new std::string);  // Kept: malloc and free are not taken out.
      },
      4, 4, 1 << 20};
  EXPECT_NE(RunMeasured(greedy, "1234"), "");
  const Target modest = {"modest", [](absl::string_view) {}, 4, 4, 1 << 20};
  EXPECT_EQ(RunMeasured(modest, "1234"), "");
}

INSTANTIATE_TEST_SUITE_P(All, ReplayTest, testing::ValuesIn(Targets()),
                         [](const testing::TestParamInfo<Target>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace fuzz
}  // namespace tensorwright
