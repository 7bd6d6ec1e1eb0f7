// SPDX-License-Identifier: Apache-2.0
// Shard over ThreadPool::ParallelFor.
#include "core/util/work_sharder.h"

#include <algorithm>
#include <limits>

#include "core/framework/device_base.h"
#include "core/framework/op_kernel.h"

namespace tensorwright {
namespace {

thread_local int per_thread_max_parallelism = std::numeric_limits<int>::max();

}  // namespace

void Shard(int max_parallelism, thread::ThreadPool* workers, int64_t total,
           int64_t cost_per_unit, std::function<void(int64_t, int64_t)> work) {
  if (total <= 0) return;
  const int threads = std::min(max_parallelism, per_thread_max_parallelism);
  if (workers == nullptr || threads <= 1) {
    work(0, total);
  } else {
    workers->ParallelForLimited(total, cost_per_unit, threads, work);
  }
}

void work_sharder_internal::ParallelForSlow(
    OpKernelContext* ctx, int64_t total, int64_t cost_per_unit,
    const std::function<void(int64_t, int64_t)>& work) {
  if (total <= 0) return;
  const DeviceBase* device = ctx->device();
  const DeviceBase::CpuWorkerThreads* threads =
      device == nullptr ? nullptr : device->tensorflow_cpu_worker_threads();
  if (threads == nullptr || threads->num_threads <= 1 ||
      per_thread_max_parallelism <= 1) {
    work(0, total);
    return;
  }
  threads->workers->ParallelForLimited(
      total, cost_per_unit,
      std::min(threads->num_threads, per_thread_max_parallelism), work);
}

void SetPerThreadMaxParallelism(int max_parallelism) {
  per_thread_max_parallelism = std::max(1, max_parallelism);
}

int GetPerThreadMaxParallelism() { return per_thread_max_parallelism; }

ScopedPerThreadMaxParallelism::ScopedPerThreadMaxParallelism(
    int max_parallelism)
    : previous_(per_thread_max_parallelism) {
  SetPerThreadMaxParallelism(max_parallelism);
}

ScopedPerThreadMaxParallelism::~ScopedPerThreadMaxParallelism() {
  per_thread_max_parallelism = previous_;
}

}  // namespace tensorwright
