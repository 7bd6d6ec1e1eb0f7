// SPDX-License-Identifier: Apache-2.0
#include "core/framework/cancellation.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(CancellationTest, CallsEveryCallbackOnce) {
  int first = 0, second = 0;
  CancellationManager manager;
  EXPECT_TRUE(manager.RegisterCallback(manager.get_cancellation_token(),
                                       [&] { ++first; }));
  EXPECT_TRUE(manager.RegisterCallback(manager.get_cancellation_token(),
                                       [&] { ++second; }));
  EXPECT_FALSE(manager.IsCancelled());
  manager.StartCancel();
  manager.StartCancel();
  EXPECT_TRUE(manager.IsCancelled());
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST(CancellationTest, DeregisteredCallbacksAreNotCalled) {
  bool called = false;
  CancellationManager manager;
  const auto token = manager.get_cancellation_token();
  EXPECT_TRUE(manager.RegisterCallback(token, [&] { called = true; }));
  EXPECT_TRUE(manager.DeregisterCallback(token));
  manager.StartCancel();
  EXPECT_FALSE(called);
  EXPECT_FALSE(manager.DeregisterCallback(token));
}

TEST(CancellationTest, TooLateToRegister) {
  CancellationManager manager;
  manager.StartCancel();
  EXPECT_FALSE(
      manager.RegisterCallback(manager.get_cancellation_token(), [] {}));
}

TEST(CancellationTest, DestructionCancels) {
  bool called = false;
  {
    CancellationManager manager;
    manager.RegisterCallback(manager.get_cancellation_token(),
                             [&] { called = true; });
  }
  EXPECT_TRUE(called);
}

TEST(CancellationTest, DeregisterWaitsForCallbacksUnderWay) {
  CancellationManager manager;
  std::atomic<bool> started{false}, finished{false};
  const auto token = manager.get_cancellation_token();
  manager.RegisterCallback(token, [&] {
    started = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    finished = true;
  });
  std::thread canceller([&] { manager.StartCancel(); });
  while (!started) std::this_thread::yield();
  EXPECT_FALSE(manager.DeregisterCallback(token));
  EXPECT_TRUE(finished);
  canceller.join();
}

}  // namespace
}  // namespace tensorwright
