// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's work_sharder.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_WORK_SHARDER_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_WORK_SHARDER_H_

#include <cstdint>
#include <functional>

#include "core/util/work_sharder.h"

namespace tensorwright {

// Shard on other threads: `runner` starts a closure somewhere.
class Sharder {
 public:
  using Closure = std::function<void()>;
  using Runner = std::function<void(Closure)>;
  using Work = std::function<void(int64_t, int64_t)>;

  // Returns when all of [0, total) has been done.
  static void Do(int64_t total, int64_t cost_per_unit, const Work& work,
                 const Runner& runner, int max_parallelism);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_WORK_SHARDER_H_
