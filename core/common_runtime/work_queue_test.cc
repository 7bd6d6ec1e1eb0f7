// SPDX-License-Identifier: Apache-2.0
#define EIGEN_USE_THREADS
#include "core/common_runtime/work_queue.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"
#include "unsupported/Eigen/CXX11/ThreadPool"

namespace tensorwright {
namespace {

// An asynchronous kernel ends in this way on a thread of its own: the waiting
// thread may take the task and end the run while that thread still tells the
// pool.
TEST(WorkQueueTest, ARunEndsAfterThePoolWasToldOfItsTasks) {
  for (int i = 0; i < 2000; ++i) {
    auto pool = std::make_unique<thread::ThreadPool>(Env::Default(), "test", 2);
    auto queue = std::make_shared<WorkQueue>(pool.get());
    queue->Expect(1);
    WorkQueue* const raw = queue.get();
    std::thread kernel([raw] { raw->Push([raw] { raw->PartitionDone(); }); });
    queue->WorkUntil(nullptr, nullptr);
    pool.reset();
    kernel.join();
  }
}

// Counts the tasks it is told of, and does them in the thread that tells it.
class CountingPool final : public Eigen::ThreadPoolInterface {
 public:
  void Schedule(std::function<void()> fn) override {
    ++told;
    fn();
  }
  int NumThreads() const override { return 2; }
  int CurrentThreadId() const override { return -1; }
  std::atomic<int> told{0};
};

TEST(WorkQueueTest, WhoSleepsTakesATaskThatThePoolIsNotToldOf) {
  CountingPool counting;
  thread::ThreadPool pool(&counting);
  auto queue = std::make_shared<WorkQueue>(&pool);
  queue->Expect(1);
  std::thread waiting([&] { queue->WorkUntil(nullptr, nullptr); });
  constexpr int kTasks = 50;
  for (int i = 0; i < kTasks; ++i) {
    absl::SleepFor(absl::Milliseconds(2));
    absl::Notification ran;
    queue->Push([&] { ran.Notify(); });
    ran.WaitForNotification();
  }
  // Perhaps the thread was not asleep yet each time.
  EXPECT_LT(counting.told, kTasks);
  queue->PartitionDone();
  waiting.join();
}

TEST(WorkQueueTest, TasksBeyondThoseWhoSleepGoToThePool) {
  thread::ThreadPool pool(Env::Default(), "test", 2);
  auto queue = std::make_shared<WorkQueue>(&pool);
  queue->Expect(1);
  std::thread waiting([&] { queue->WorkUntil(nullptr, nullptr); });
  for (int i = 0; i < 50; ++i) {
    // Each waits for the other: one thread could not end them.
    absl::Notification first, second;
    queue->Push([&] {
      first.Notify();
      second.WaitForNotification();
    });
    queue->Push([&] {
      second.Notify();
      first.WaitForNotification();
    });
    first.WaitForNotification();
    second.WaitForNotification();
    // The notifications must live until both tasks have ended.
    absl::SleepFor(absl::Milliseconds(2));
  }
  queue->PartitionDone();
  waiting.join();
}

}  // namespace
}  // namespace tensorwright
