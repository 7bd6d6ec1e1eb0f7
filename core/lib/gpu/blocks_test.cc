// SPDX-License-Identifier: Apache-2.0
#include "core/lib/gpu/blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "Eigen/Core"
#include "core/lib/gpu/collectives.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace gpu {
namespace {

struct Plus {
  template <typename T>
  T operator()(T x, T y) const {
    return x + y;
  }
};

__global__ void Number(int* counts, int n) {
  for (int i = GridFirst<int>(); i < n; i += GridStep<int>()) counts[i] += 1;
}

TEST(LaunchTest, EachIndexOnce) {
  for (const int n : {0, 1, 31, 257, 1025, 5000}) {
    std::vector<int> counts(n);
    ASSERT_TRUE(
        Launch(nullptr, Blocks(n), kThreads, 0, Number, counts.data(), n).ok());
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1), n);
  }
}

TEST(LaunchTest, PlacesInThreeDimensions) {
  std::set<int> seen;
  const auto body = [&seen] {
    const unsigned block =
        (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    seen.insert(static_cast<int>(block * 24 + thread));
  };
  ASSERT_TRUE(
      emulation::RunBlocks("places", dim3(2, 3, 4), dim3(4, 3, 2), 0, body)
          .ok());
  ASSERT_EQ(seen.size(), 24u * 24u);
  EXPECT_EQ(*seen.rbegin(), 24 * 24 - 1);
}

__global__ void Reverse(int* x) {
  int* const shared = SharedMemory<int>();
  const int n = static_cast<int>(blockDim.x), i = threadIdx.x;
  shared[i] = x[i];
  __syncthreads();
  x[i] = shared[n - 1 - i];
}

TEST(BlocksTest, BarrierLetsThreadsExchange) {
  for (const int n : {1, 31, 32, 33, 1000, 1024}) {
    for (int launch = 0; launch < 3; ++launch) {
      std::vector<int> x(n), expected(n);
      std::iota(x.begin(), x.end(), 0);
      std::reverse_copy(x.begin(), x.end(), expected.begin());
      ASSERT_TRUE(
          Launch(nullptr, 1, n, n * sizeof(int), Reverse, x.data()).ok());
      EXPECT_EQ(x, expected) << n;
    }
  }
}

__global__ void ReverseWithoutBarrier(int* x) {
  int* const shared = SharedMemory<int>();
  const int n = static_cast<int>(blockDim.x), i = threadIdx.x;
  shared[i] = x[i];
  x[i] = shared[n - 1 - i];
}

TEST(BlocksTest, MissingBarrierShows) {
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<int> x(64, 1);
    ASSERT_TRUE(
        Launch(nullptr, 1, 64, 256, ReverseWithoutBarrier, x.data()).ok());
    EXPECT_NE(std::count(x.begin(), x.end(), 1), 64);
    EXPECT_NE(std::count(x.begin(), x.end(), static_cast<int>(0xa5a5a5a5)), 0);
  }
}

__global__ void Order(int* order, int* next) { order[(*next)++] = threadIdx.x; }

TEST(BlocksTest, OrderOfThreadsDiffersBetweenLaunches) {
  std::set<std::vector<int>> orders;
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<int> order(64);
    int next = 0;
    ASSERT_TRUE(Launch(nullptr, 1, 64, 0, Order, order.data(), &next).ok());
    orders.insert(order);
    std::sort(order.begin(), order.end());
    for (int i = 0; i < 64; ++i) EXPECT_EQ(order[i], i);
  }
  EXPECT_EQ(orders.size(), 3u);
}

__global__ void HalfWaits(int) {
  if (threadIdx.x < 16) __syncthreads();
}
__global__ void OneLaneReturns(int) {
  if (threadIdx.x != 5) __shfl_xor_sync(kAllLanes, 1, 1);
}

TEST(BlocksTest, UnmetBarrierIsAnErrorThatNamesTheKernel) {
  const Status block = Launch(nullptr, 2, 64, 0, HalfWaits, 0);
  EXPECT_EQ(block.code(), error::INTERNAL);
  EXPECT_NE(block.message().find("blocks_test.cc"), std::string::npos);
  EXPECT_NE(
      block.message().find("of 64, 16 are at a barrier of the block, 0 at "
                           "one of their warp, 48 have returned"),
      std::string::npos)
      << block;
  const Status warp = Launch(nullptr, 1, 32, 0, OneLaneReturns, 0);
  EXPECT_NE(warp.message().find("31 at one of their warp, 1 have returned"),
            std::string::npos)
      << warp;
  // Later launches are not the worse for it.
  std::vector<int> x = {1, 2, 3};
  ASSERT_TRUE(Launch(nullptr, 1, 3, 12, Reverse, x.data()).ok());
  EXPECT_EQ(x, (std::vector<int>{3, 2, 1}));
}

TEST(BlocksTest, TooManyThreadsAreRefused) {
  EXPECT_EQ(Launch(nullptr, 1, 1025, 0, HalfWaits, 0).code(), error::INTERNAL);
}

__global__ void Shuffles(int* out) {
  const int t = threadIdx.x;
  out[t * 6] = __shfl_sync(kAllLanes, t, 3);
  out[t * 6 + 1] = __shfl_xor_sync(kAllLanes, t, 5);
  out[t * 6 + 2] = __shfl_up_sync(kAllLanes, t, 2);
  out[t * 6 + 3] = __shfl_down_sync(kAllLanes, t, 2, 8);
  out[t * 6 + 4] = static_cast<int>(__ballot_sync(kAllLanes, t % 3 == 0));
  out[t * 6 + 5] = __syncthreads_count(t % 2);
}

TEST(WarpTest, WordsOfWarps) {
  std::vector<int> out(64 * 6);
  ASSERT_TRUE(Launch(nullptr, 1, 64, 0, Shuffles, out.data()).ok());
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32, first = t - lane;
    unsigned ballot = 0;
    for (int i = 0; i < 32; ++i) ballot |= unsigned{(first + i) % 3 == 0} << i;
    EXPECT_EQ(out[t * 6], first + 3);
    EXPECT_EQ(out[t * 6 + 1], first + (lane ^ 5));
    EXPECT_EQ(out[t * 6 + 2], lane >= 2 ? t - 2 : t);
    EXPECT_EQ(out[t * 6 + 3], lane % 8 < 6 ? t + 2 : t);
    EXPECT_EQ(out[t * 6 + 4], static_cast<int>(ballot));
    EXPECT_EQ(out[t * 6 + 5], 32);
  }
}

__global__ void Divergent(double* out) {
  const int lane = threadIdx.x % 32;
  // Two halves of a warp meet apart, one of them more often.
  const unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
  double x = lane;
  for (int i = 0; i < (lane < 16 ? 1 : 3); ++i) {
    x += __shfl_xor_sync(mask, x, 1);
  }
  __syncthreads();
  out[threadIdx.x] = x;
}

TEST(WarpTest, PartsOfAWarpMeetApart) {
  std::vector<double> out(32);
  ASSERT_TRUE(Launch(nullptr, 1, 32, 0, Divergent, out.data()).ok());
  for (int lane = 0; lane < 32; ++lane) {
    const double pair = 2 * (lane / 2) * 2 + 1;
    EXPECT_EQ(out[lane], lane < 16 ? pair : pair * 4) << lane;
  }
}

template <int kSize>
__global__ void Sums(const float* x, float* sums, float* scan) {
  const int t = threadIdx.x;
  sums[t] = BlockReduce<kSize>(x[t], 0.0f, Plus());
  // A second one right after it finds shared memory in use.
  sums[t] += BlockReduce<kSize>(2 * x[t], 0.0f, Plus());
  float total = 0;
  scan[t] = BlockScan<kSize>(x[t], 0.0f, Plus(), &total);
  sums[t] += total;
}

template <int kSize>
void TestSums() {
  std::vector<float> x(kSize), sums(kSize), scan(kSize), expected(kSize);
  std::iota(x.begin(), x.end(), 1.0f);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  for (int launch = 0; launch < 3; ++launch) {
    ASSERT_TRUE(Launch(nullptr, 1, kSize, 0, Sums<kSize>, x.data(), sums.data(),
                       scan.data())
                    .ok());
    EXPECT_EQ(scan, expected);
    EXPECT_EQ(sums, std::vector<float>(kSize, 4 * expected.back()));
  }
}

TEST(CollectivesTest, ReduceAndScan) {
  TestSums<32>();
  TestSums<64>();
  TestSums<256>();
  TestSums<1024>();
}

TEST(ConvertTest, NarrowFloats) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const auto word = static_cast<uint16_t>(bits);
    const float half = Widen(Half{word});
    const float expected =
        static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(word));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(half));
    } else {
      EXPECT_EQ(half, expected);
      EXPECT_EQ(Narrow<Half>(half).bits, word);
      const float bfloat16 = Widen(Bfloat16{word});
      if (bfloat16 == bfloat16) {
        EXPECT_EQ(Narrow<Bfloat16>(bfloat16).bits, word);
      }
    }
  }
  // Halfway between two: the even one.
  EXPECT_EQ(Narrow<Half>(1.0f + 1.0f / 2048).bits, 0x3c00);
  EXPECT_EQ(Narrow<Bfloat16>(1.0f + 3.0f / 256).bits, 0x3f82);
}

TEST(DividerTest, DividesLikeTheOperator) {
  const uint32_t kMost = (1u << 31) - 1;
  for (const uint32_t d : {1u, 2u, 3u, 7u, 10u, 31u, 641u, 65535u, 65536u,
                           (1u << 30) - 1, (1u << 30) + 1, kMost}) {
    const Divider<uint32_t> divider(d);
    for (const uint32_t n :
         {0u, 1u, d - 1, d, d + 1, 12345678u, kMost - 1, kMost}) {
      if (n > kMost) continue;
      uint32_t q = 0, r = 0;
      divider.Divide(n, &q, &r);
      EXPECT_EQ(q, n / d) << n << " / " << d;
      EXPECT_EQ(r, n % d);
    }
  }
}

}  // namespace
}  // namespace gpu
}  // namespace tensorwright
