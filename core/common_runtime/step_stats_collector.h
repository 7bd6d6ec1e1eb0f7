// SPDX-License-Identifier: Apache-2.0
// StepStatsCollector: when and where each node of a traced run was executed.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_STATS_COLLECTOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_STATS_COLLECTOR_H_

#include <cstdint>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/graph/graph.h"

namespace tensorwright {

class Device;
class StepStats;

// One per traced run.  Thread safe.
class StepStatsCollector {
 public:
  // Nanoseconds since the epoch.
  static int64_t NowNanos();

  // `scheduled`: when the node became ready; `outputs` as the kernel left them.
  void Record(const Device& device, const Node& node, int64_t scheduled,
              int64_t start, int64_t end, absl::Span<const OutputSlot> outputs);

  // Writes what was recorded, by device, in order of time.
  void Finish(StepStats* stats);

 private:
  struct Output {
    DataType dtype;
    TensorShape shape;
    int64_t bytes;
  };
  struct Entry {
    const Device* device;
    const Node* node;
    int64_t scheduled;
    int64_t start;
    int64_t end;
    int32_t thread;
    std::vector<Output> outputs;
  };

  absl::Mutex mu_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_STEP_STATS_COLLECTOR_H_
