// SPDX-License-Identifier: Apache-2.0
// Shard: runs a loop over [0, total) in parallel pieces.
#ifndef TENSORWRIGHT_CORE_UTIL_WORK_SHARDER_H_
#define TENSORWRIGHT_CORE_UTIL_WORK_SHARDER_H_

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/lib/core/threadpool.h"

namespace tensorwright {

class OpKernelContext;

// Calls work(begin, end) on pieces that make up [0, total), on at most
// `max_parallelism` threads, and returns when all have ended.  `cost_per_unit`
// is one element's work in CPU cycles, about; work that is not worth a second
// thread runs on the calling one, as all work does with one thread.
void Shard(int max_parallelism, thread::ThreadPool* workers, int64_t total,
           int64_t cost_per_unit, std::function<void(int64_t, int64_t)> work);

namespace work_sharder_internal {
void ParallelForSlow(OpKernelContext* ctx, int64_t total, int64_t cost_per_unit,
                     const std::function<void(int64_t, int64_t)>& work);
}  // namespace work_sharder_internal

// The same on the intra-op threads of the kernel's device, for our own kernels.
// Work too small for a second thread is a plain call.
template <typename Work>
void ParallelFor(OpKernelContext* ctx, int64_t total, int64_t cost_per_unit,
                 const Work& work) {
  if (total <= 0) return;
  if (static_cast<double>(total) *
          static_cast<double>(std::max<int64_t>(1, cost_per_unit)) <=
      thread::ThreadPool::kMinCyclesPerBlock) {
    work(int64_t{0}, total);
    return;
  }
  // A reference fits into a std::function without an allocation.
  work_sharder_internal::ParallelForSlow(ctx, total, cost_per_unit,
                                         std::ref(work));
}

// A limit for Shard that belongs to the thread: 1 keeps a nested loop on its
// thread.
class ScopedPerThreadMaxParallelism {
 public:
  explicit ScopedPerThreadMaxParallelism(int max_parallelism);
  ~ScopedPerThreadMaxParallelism();
  ScopedPerThreadMaxParallelism(const ScopedPerThreadMaxParallelism&) = delete;

 private:
  int previous_;
};
void SetPerThreadMaxParallelism(int max_parallelism);
int GetPerThreadMaxParallelism();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_WORK_SHARDER_H_
