// SPDX-License-Identifier: Apache-2.0
#include "core/common_runtime/limited_allocator.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "core/common_runtime/memory_in_use.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr size_t kAlign = Allocator::kAllocatorAlignment;

TEST(LimitedAllocatorTest, LimitsAPieceAndTheSum) {
  const auto a = NewLimitedAllocator(cpu_allocator(), "small", 4096, 8192);
  EXPECT_EQ(a->Name(), "small");
  EXPECT_TRUE(a->IsHostMemory());
  EXPECT_EQ(a->AllocateRaw(kAlign, 4097), nullptr);
  EXPECT_EQ(a->AllocateRaw(kAlign, ~size_t{0}), nullptr);
  void* const one = a->AllocateRaw(kAlign, 4096);
  ASSERT_NE(one, nullptr);
  EXPECT_GE(a->AllocatedSize(one), 4096u);
  void* const two = a->AllocateRaw(kAlign, 3000);
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(a->AllocateRaw(kAlign, 4096), nullptr);
  AllocatorStats stats;
  ASSERT_TRUE(a->ReadStats(&stats));
  EXPECT_GE(stats.bytes_in_use, 7096);
  EXPECT_EQ(stats.bytes_limit, 8192);
  a->DeallocateRaw(one);
  a->DeallocateRaw(nullptr);
  void* const three = a->AllocateRaw(kAlign, 4096);
  EXPECT_NE(three, nullptr);
  a->DeallocateRaw(two);
  a->DeallocateRaw(three);
  ASSERT_TRUE(a->ReadStats(&stats));
  EXPECT_EQ(stats.bytes_in_use, 0);
}

TEST(LimitedAllocatorTest, NoLimitIsZero) {
  const auto a = NewLimitedAllocator(cpu_allocator(), "pieces", 100, 0);
  std::vector<void*> pieces;
  for (int i = 0; i < 1000; ++i) pieces.push_back(a->AllocateRaw(kAlign, 100));
  for (void* p : pieces) {
    ASSERT_NE(p, nullptr);
    a->DeallocateRaw(p);
  }
}

TEST(LimitedAllocatorTest, TensorsOutliveItsOwner) {
  Tensor t;
  {
    const auto a = NewLimitedAllocator(cpu_allocator(), "short-lived", 0, 5000);
    t = Tensor(a.get(), DT_FLOAT, TensorShape({1000}));
    Tensor too_large;
    const Status status =
        Tensor::Allocate(a.get(), DT_FLOAT, TensorShape({1000}), &too_large);
    EXPECT_TRUE(errors::IsResourceExhausted(status)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "short-lived")) << status;
  }
  t.base<float>()[999] = 1;
  EXPECT_EQ(t.base<float>()[999], 1);
}

TEST(LimitedAllocatorTest, LackOfMemoryNamesTheOpsThatHaveIt) {
  constexpr size_t kMiB = 1 << 20;
  const auto a = NewLimitedAllocator(cpu_allocator(), "cpu", 0, 4 * kMiB);
  const std::string name = "dense/MatMul", type = "MatMul";
  void* large = nullptr;
  {
    const AllocatingOp op(&name, &type);
    large = a->AllocateRaw(kAlign, 2 * kMiB);
  }
  void* const small = a->AllocateRaw(kAlign, kMiB);
  EXPECT_EQ(a->Name(), "cpu");
  EXPECT_EQ(a->AllocateRaw(kAlign, 2 * kMiB), nullptr);
  const std::string text = a->Name();
  EXPECT_TRUE(absl::StrContains(text, "of 4.00 MiB, in 2 pieces")) << text;
  EXPECT_TRUE(absl::StrContains(text,
                                "\n  2.00 MiB for dense/MatMul (MatMul)"
                                "\n  1.00 MiB for the runtime"))
      << text;
  EXPECT_EQ(a->Name(), "cpu");
  a->DeallocateRaw(large);
  a->DeallocateRaw(small);
}

TEST(LimitedAllocatorTest, ThreadsTogetherStayBelowTheSum) {
  const auto a = NewLimitedAllocator(cpu_allocator(), "shared", 0, 64 << 10);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&a] {
      for (int j = 0; j < 2000; ++j) {
        void* const p = a->AllocateRaw(kAlign, 20 << 10);
        AllocatorStats stats;
        ASSERT_TRUE(a->ReadStats(&stats));
        // The inner allocator may round each piece up.
        EXPECT_LE(stats.bytes_in_use, 80 << 10);
        a->DeallocateRaw(p);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  AllocatorStats stats;
  ASSERT_TRUE(a->ReadStats(&stats));
  EXPECT_EQ(stats.bytes_in_use, 0);
}

}  // namespace
}  // namespace tensorwright
