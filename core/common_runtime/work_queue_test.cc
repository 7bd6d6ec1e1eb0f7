// SPDX-License-Identifier: Apache-2.0
#include "core/common_runtime/work_queue.h"

#include <memory>
#include <thread>

#include "core/lib/core/threadpool.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// As where an asynchronous kernel ends on a thread of its own: whoever waits
// may take the task and end the run while that thread still tells the pool.
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

}  // namespace
}  // namespace tensorwright
