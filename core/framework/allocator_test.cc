// SPDX-License-Identifier: Apache-2.0
#include "core/framework/allocator.h"

#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/framework/allocator_reuse.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(AllocatorTest, MemoryIsAlignedAndCounted) {
  auto a = MakeCpuAllocator("test");
  EXPECT_EQ(a->Name(), "test");
  std::vector<void*> blocks;
  for (size_t bytes : {0, 1, 63, 64, 65, 1 << 20, 5 << 20}) {
    void* p = a->AllocateRaw(Allocator::kAllocatorAlignment, bytes);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
    memset(p, 1, bytes);
    EXPECT_GE(a->AllocatedSize(p), bytes);
    blocks.push_back(p);
  }
  const int64_t in_use = a->GetStats()->bytes_in_use;
  EXPECT_GE(in_use, 6 << 20);
  EXPECT_EQ(a->GetStats()->num_allocs, 7);
  EXPECT_GE(a->GetStats()->largest_alloc_size, 5 << 20);
  for (void* p : blocks) a->DeallocateRaw(p);
  EXPECT_EQ(a->GetStats()->bytes_in_use, 0);
  EXPECT_EQ(a->GetStats()->peak_bytes_in_use, in_use);
  EXPECT_TRUE(a->ClearStats());
  EXPECT_EQ(a->GetStats()->peak_bytes_in_use, 0);
}

TEST(AllocatorTest, LargeBlocksAreReused) {
  auto a = MakeCpuAllocator("test");
  void* p = a->AllocateRaw(64, 10 << 20);
  a->DeallocateRaw(p);
  EXPECT_EQ(a->AllocateRaw(64, (10 << 20) - 100), p);
  a->DeallocateRaw(p);
}

TEST(AllocatorTest, OldLargeBlocksMakeRoomForNewOnes) {
  auto a = MakeCpuAllocator("test");
  constexpr size_t kBytes = size_t{16} << 20;
  // Eleven sizes, far more than are kept together.
  for (size_t i = 0; i < 11; ++i) {
    char* p = static_cast<char*>(a->AllocateRaw(64, kBytes + i * (2 << 20)));
    p[kBytes / 2] = static_cast<char>(i);
    a->DeallocateRaw(p);
  }
  // Memory fresh from the system would be zero.
  char* last = static_cast<char*>(a->AllocateRaw(64, kBytes + 10 * (2 << 20)));
  EXPECT_EQ(last[kBytes / 2], 10);
  a->DeallocateRaw(last);
  EXPECT_EQ(a->GetStats()->bytes_in_use, 0);
}

TEST(AllocatorTest, KeepsWhatWasOnceInUseTogether) {
  auto a = MakeCpuAllocator("test");
  constexpr size_t kBytes = size_t{16} << 20;
  const auto step = [&](int writes) {  // 256 MiB at once.
    std::vector<char*> blocks;
    int fresh = 0;
    for (int i = 0; i < 16; ++i) {
      blocks.push_back(static_cast<char*>(a->AllocateRaw(64, kBytes)));
      fresh += blocks.back()[kBytes / 2] != 7;
      if (writes) blocks.back()[kBytes / 2] = 7;
    }
    for (char* p : blocks) a->DeallocateRaw(p);
    return fresh;
  };
  step(true);
  EXPECT_EQ(step(false), 0);
}

TEST(AllocatorTest, LimitAndOverflowGiveNull) {
  auto a = MakeCpuAllocator("test", 1 << 20);
  EXPECT_EQ(a->GetStats()->bytes_limit, 1 << 20);
  EXPECT_EQ(a->AllocateRaw(64, 2 << 20), nullptr);
  void* p = a->AllocateRaw(64, 900 << 10);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(a->AllocateRaw(64, 900 << 10), nullptr);
  a->DeallocateRaw(p);
  EXPECT_EQ(cpu_allocator()->AllocateRaw(64, SIZE_MAX / 2), nullptr);
  EXPECT_EQ(cpu_allocator()->AllocateRaw(64, SIZE_MAX), nullptr);
  EXPECT_EQ(cpu_allocator()->Allocate<double>(SIZE_MAX / 4), nullptr);
}

TEST(AllocatorTest, ConstructsObjects) {
  std::string* s = cpu_allocator()->Allocate<std::string>(3);
  s[2] = std::string(100, 'x');
  cpu_allocator()->Deallocate(s, 3);
}

TEST(AllocatorTest, ThreadsShareIt) {
  auto a = MakeCpuAllocator("test");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&a, t] {
      for (int i = 0; i < 300; ++i) {
        const size_t bytes = size_t{1} << (10 + (i + t) % 10);
        char* p = static_cast<char*>(a->AllocateRaw(64, bytes));
        p[0] = p[bytes - 1] = static_cast<char>(t);
        a->DeallocateRaw(p);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(a->GetStats()->bytes_in_use, 0);
}

TEST(AllocatorAttributesTest, MergeIsUnion) {
  AllocatorAttributes host, gpu;
  host.set_on_host(true);
  gpu.set_gpu_compatible(true);
  EXPECT_FALSE(gpu.IsEqualOrLessRestrictiveThan(host));
  host.Merge(gpu);
  EXPECT_TRUE(host.on_host() && host.gpu_compatible());
  EXPECT_TRUE(gpu.IsEqualOrLessRestrictiveThan(host));
}

// Allocates `n` blocks of 32 MiB at once, writes to each, and frees them
// together.
void UseAndFree(int n) {
  constexpr size_t kBytes = size_t{32} << 20;
  std::vector<void*> blocks;
  for (int i = 0; i < n; ++i) {
    blocks.push_back(cpu_allocator()->AllocateRaw(64, kBytes));
    ASSERT_NE(blocks.back(), nullptr);
    memset(blocks.back(), i, kBytes);
  }
  for (void* p : blocks) cpu_allocator()->DeallocateRaw(p);
}

size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4096;
}

constexpr size_t kGiga = size_t{1} << 30;

TEST(FreedMemoryReuseTest, IsKeptAsLongAsThereAreSteps) {
  const size_t before = ResidentBytes();
  {
    const FreedMemoryReuse steps;
    {
      const FreedMemoryReuse others;
      UseAndFree(32);
    }
    EXPECT_GE(FreedMemoryKept(), kGiga);
    EXPECT_GE(ResidentBytes(), before + kGiga * 3 / 4);
  }
  EXPECT_LE(FreedMemoryKept(), kGiga / 8);
  EXPECT_LE(ResidentBytes(), before + kGiga / 4);
}

TEST(FreedMemoryReuseTest, WhatIsFreedAfterwardsIsNotKept) {
  { const FreedMemoryReuse steps; }
  UseAndFree(32);
  EXPECT_LE(FreedMemoryKept(), kGiga / 8);
  const FreedMemoryReuse again;
  UseAndFree(32);
  EXPECT_GE(FreedMemoryKept(), kGiga);
}

int64_t test_seconds = 0;

TEST(FreedMemoryReuseTest, WhatNobodyTakesForAMinuteGoes) {
  SetFreedMemoryClock([] { return test_seconds; });
  const FreedMemoryReuse steps;
  UseAndFree(32);
  const size_t before = ResidentBytes();
  // A smaller step takes the same eight blocks again and again.
  for (int i = 0; i < 59; ++i) {
    ++test_seconds;
    UseAndFree(8);
    EXPECT_GE(FreedMemoryKept(), kGiga);
  }
  for (int i = 0; i < 2; ++i) {
    ++test_seconds;
    UseAndFree(8);
  }
  EXPECT_GE(FreedMemoryKept(), kGiga / 4);
  EXPECT_LE(FreedMemoryKept(), kGiga / 4 + kGiga / 8);
  EXPECT_LE(ResidentBytes(), before - kGiga / 2);
}

}  // namespace
}  // namespace tensorwright
