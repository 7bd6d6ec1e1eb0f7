// SPDX-License-Identifier: Apache-2.0
#include "core/framework/variable_writes.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(VariableWritesTest, AnEpochLastsUntilTheNextWrite) {
  const uint64_t before = VariableWriteEpoch();
  EXPECT_NE(before, 0u);
  { VariableWriteScope reads(false); }
  EXPECT_EQ(VariableWriteEpoch(), before);
  { VariableWriteScope writes(true); }
  EXPECT_NE(VariableWriteEpoch(), before);
  EXPECT_NE(VariableWriteEpoch(), 0u);
}

TEST(VariableWritesTest, ThereIsNoneWhileSomethingIsWritten) {
  VariableWriteScope one(true);
  {
    VariableWriteScope two(true);
    EXPECT_EQ(VariableWriteEpoch(), 0u);
  }
  EXPECT_EQ(VariableWriteEpoch(), 0u) << "one still writes";
}

// A value kept under an epoch is the value written last.
TEST(VariableWritesTest, WhatIsKeptIsNeverStale) {
  std::atomic<int> variable{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int t = 0; t < 2; ++t) {
    writers.emplace_back([&] {
      while (!stop) {
        VariableWriteScope scope(true);
        variable.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (int i = 0; i < 200000; ++i) {
    const uint64_t before = VariableWriteEpoch();
    const int first = variable.load(std::memory_order_relaxed);
    const int second = variable.load(std::memory_order_relaxed);
    if (before == 0 || VariableWriteEpoch() != before) continue;
    ASSERT_EQ(first, second);
  }
  stop = true;
  for (std::thread& t : writers) t.join();
  const uint64_t after = VariableWriteEpoch();
  EXPECT_EQ(VariableWriteEpoch(), after);
}

}  // namespace
}  // namespace tensorwright
