// SPDX-License-Identifier: Apache-2.0
#include "core/compat/util/work_sharder.h"

#include <algorithm>

#include "core/compat/lib/core/blocking_counter.h"

namespace tensorwright {

void Sharder::Do(int64_t total, int64_t cost_per_unit, const Work& work,
                 const Runner& runner, int max_parallelism) {
  if (total <= 0) return;
  const double cost = static_cast<double>(total) *
                      static_cast<double>(std::max<int64_t>(1, cost_per_unit));
  const int64_t worth = static_cast<int64_t>(std::min(
      cost / static_cast<double>(thread::ThreadPool::kMinCyclesPerBlock),
      1024.0));
  const int64_t pieces =
      std::clamp<int64_t>(std::min<int64_t>(worth, max_parallelism), 1, total);
  const int64_t size = (total + pieces - 1) / pieces;
  const int64_t used = (total + size - 1) / size;
  // The caller's thread does the first piece.
  BlockingCounter others(static_cast<int>(used - 1));
  for (int64_t begin = size; begin < total; begin += size) {
    runner([begin, size, total, &work, &others] {
      work(begin, std::min(begin + size, total));
      others.DecrementCount();
    });
  }
  work(0, std::min(size, total));
  others.Wait();
}

}  // namespace tensorwright
