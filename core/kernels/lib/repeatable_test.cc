// SPDX-License-Identifier: Apache-2.0
// Which devices' kernels must repeat, and into how many pieces they divide
// work; python/client/policy_determinism_test.py has the kernels.

#include "core/kernels/lib/repeatable.h"

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/ops_testutil.h"
#include "core/lib/core/repeatable_pool.h"
#include "core/lib/core/thread_team.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

bool MustRepeatOn(DeviceBase* device) {
  OpKernelContext::Params params;
  params.device = device;
  OpKernelContext context(&params);
  return MustRepeat(&context);
}

TEST(Repeatable, ThePoolOfTheDeviceTells) {
  TestCpuDevice device(2);
  EXPECT_FALSE(MustRepeatOn(&device));
  thread::TeamPool threads(Env::Default(), "test", 2);
  thread::RepeatablePool repeatable(&threads, "the policy says so");
  EXPECT_EQ(repeatable.NumThreads(), 2);
  EXPECT_EQ(repeatable.why(), "the policy says so");
  thread::ThreadPool pool(&repeatable);
  DeviceBase::CpuWorkerThreads workers{2, &pool};
  device.set_tensorflow_cpu_worker_threads(&workers);
  EXPECT_TRUE(MustRepeatOn(&device));
  device.set_tensorflow_cpu_worker_threads(nullptr);
  EXPECT_FALSE(MustRepeatOn(&device));
}

TEST(Repeatable, PiecesHaveEnoughToDo) {
  EXPECT_EQ(PiecesOf(0, 16), 1);
  EXPECT_EQ(PiecesOf(kMinFlopsForPieces * 1.5, 16), 1);
  EXPECT_EQ(PiecesOf(kMinFlopsForPieces * 3, 16), 3);
  EXPECT_EQ(PiecesOf(1e15, 16), 16);
  EXPECT_EQ(PiecesOf(1e15, 1), 1);
}

}  // namespace
}  // namespace tensorwright
