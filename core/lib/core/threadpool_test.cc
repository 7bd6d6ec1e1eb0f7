// SPDX-License-Identifier: Apache-2.0
#include "core/lib/core/threadpool.h"

#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "core/lib/core/thread_team.h"
#include "core/platform/mutex.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace thread {
namespace {

TEST(ThreadPoolTest, RunsWhatIsScheduledBeforeItIsDestroyed) {
  std::atomic<int> ran{0};
  {
    ThreadPool pool(Env::Default(), "test", 3);
    EXPECT_EQ(pool.NumThreads(), 3);
    for (int i = 0; i < 1000; ++i) pool.Schedule([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 1000);
}

TEST(ThreadPoolTest, ThreadIdsAreThoseOfThePool) {
  ThreadPool pool(Env::Default(), "test", 2);
  EXPECT_EQ(pool.CurrentThreadId(), -1);
  absl::BlockingCounter left(50);
  std::atomic<bool> good{true};
  for (int i = 0; i < 50; ++i) {
    pool.Schedule([&] {
      const int id = pool.CurrentThreadId();
      if (id < 0 || id >= 2) good = false;
      left.DecrementCount();
    });
  }
  left.Wait();
  EXPECT_TRUE(good);
}

TEST(ThreadPoolTest, CountsLoopsThatWantEveryThread) {
  ThreadPool two(Env::Default(), "test", 2);
  ThreadPool one(Env::Default(), "test", 1);
  const auto counts = [](const auto& work) {
    const uint32_t before = ThreadPool::WideCalls();
    work();
    return ThreadPool::WideCalls() != before;
  };
  const auto nothing = [](int64_t, int64_t) {};
  EXPECT_TRUE(counts([&] { two.ParallelFor(1000, 10000, nothing); }));
  EXPECT_TRUE(counts([&] { two.TransformRangeConcurrently(1, 2, nothing); }));
  EXPECT_FALSE(counts([&] { two.ParallelFor(1000, 1, nothing); }))
      << "too little work to cut up";
  EXPECT_FALSE(counts([&] { two.ParallelForLimited(9, 100000, 1, nothing); }));
  EXPECT_FALSE(counts([&] { one.ParallelFor(1000, 10000, nothing); }));
  EXPECT_TRUE(counts([] { ThreadPool::CountCall(4, 4); }));
  EXPECT_FALSE(counts([] { ThreadPool::CountCall(3, 4); }));
}

class ParallelForTest : public testing::TestWithParam<int> {};

TEST_P(ParallelForTest, CoversEveryElementOnce) {
  ThreadPool pool(Env::Default(), "test", GetParam());
  for (int64_t total : {0, 1, 2, 3, 7, 1000, 100003}) {
    for (int64_t cost : {int64_t{0}, int64_t{1}, int64_t{100}, int64_t{100000},
                         int64_t{1} << 62}) {
      std::vector<std::atomic<int>> seen(total);
      pool.ParallelFor(total, cost, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[i];
      });
      for (const auto& n : seen) ASSERT_EQ(n, 1);
    }
  }
}

TEST_P(ParallelForTest, MayBeNested) {
  ThreadPool pool(Env::Default(), "test", GetParam());
  std::atomic<int64_t> sum{0};
  pool.ParallelFor(8, 1000000, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pool.ParallelFor(100, 1000000,
                       [&](int64_t b, int64_t e) { sum += e - b; });
    }
  });
  EXPECT_EQ(sum, 800);
}

TEST_P(ParallelForTest, WorkerIdsAreDistinctWhileTheyRun) {
  ThreadPool pool(Env::Default(), "test", GetParam());
  mutex mu;
  std::set<int> running;
  bool clash = false;
  pool.ParallelForWithWorkerId(64, 1000000, [&](int64_t, int64_t, int id) {
    {
      mutex_lock l(mu);
      clash |= !running.insert(id).second;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    mutex_lock l(mu);
    running.erase(id);
  });
  EXPECT_FALSE(clash);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest, testing::Values(1, 2, 5));

TEST_P(ParallelForTest, WhatABlockThrowsReachesTheCaller) {
  ThreadPool pool(Env::Default(), "test", GetParam());
  std::atomic<int64_t> done{0};
  const auto throws = [&](int64_t begin, int64_t end) {
    done += end - begin;
    if (begin <= 17 && 17 < end) throw std::runtime_error("seventeen");
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    done = 0;
    EXPECT_THROW(pool.ParallelFor(100, 1 << 20, throws), std::runtime_error);
    EXPECT_EQ(done, 100);  // No block runs after the caller has gone on.
  }
}

TEST(ThreadPoolTest, OneThreadRunsLoopsInline) {
  ThreadPool pool(Env::Default(), "test", 1);
  const auto self = std::this_thread::get_id();
  int pieces = 0;
  pool.ParallelFor(1000, 1000000, [&](int64_t, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    ++pieces;
  });
  EXPECT_EQ(pieces, 1);
}

TEST(ThreadPoolTest, CheapLoopStaysOnTheCaller) {
  ThreadPool pool(Env::Default(), "test", 4);
  int pieces = 0;
  pool.ParallelFor(100, 1, [&](int64_t, int64_t) { ++pieces; });
  EXPECT_EQ(pieces, 1);
}

TEST(ThreadPoolTest, IdleThreadsBurnNoCpu) {
  ThreadPool pool(Env::Default(), "test", 8);
  const auto cpu_ms = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000 +
           usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000;
  };
  const auto before = cpu_ms();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // Eight spinning threads would use 300 ms and more.
  EXPECT_LT(cpu_ms() - before, 100);
}

// Has so many threads to give, and then none.
class FewThreads final : public Env {
 public:
  explicit FewThreads(int n) : left_(n) {}
  Thread* StartThread(const ThreadOptions& options, const std::string& name,
                      std::function<void()> fn) override {
    if (--left_ < 0) {
      throw std::system_error(EAGAIN, std::generic_category());
    }
    return Env::StartThread(options, name, std::move(fn));
  }

 private:
  int left_;
};

TEST(ThreadPoolTest, APoolThatLacksThreadsIsNone) {
  for (int n = 0; n < 3; ++n) {
    FewThreads pools(n), teams(n);
    EXPECT_THROW(ThreadPool(&pools, "few", 3), std::system_error) << n;
    EXPECT_THROW(TeamPool(&teams, "few", 3), std::system_error) << n;
  }
  FewThreads enough(3);
  std::atomic<int> ran{0};
  {
    ThreadPool pool(&enough, "enough", 3);
    pool.Schedule([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace thread
}  // namespace tensorwright
