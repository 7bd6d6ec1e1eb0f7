// SPDX-License-Identifier: Apache-2.0
// StepStatsCollector: records when and where each node of a traced run was
// executed.
//
// Made by the session for a run whose options ask for a trace, and given to its
// step; all partitions record into it.  It keeps shapes and sizes of outputs,
// not their values, and borrows devices and nodes, which outlive it.
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
  // Nanoseconds since the Unix epoch, as are all times here.
  static int64_t NowNanos();

  // Adds one execution of a node, by the calling thread.  `scheduled` is the
  // time when the node became ready; `outputs` are as the kernel left them, an
  // entry per output, dead or released ones too.  A node in a loop is recorded
  // once per iteration.
  void Record(const Device& device, const Node& node, int64_t scheduled,
              int64_t start, int64_t end, absl::Span<const OutputSlot> outputs);

  // Appends the records to *stats, by device, in order of start.  Nodes that
  // were fused into another one are listed with it, without a time of their
  // own.  Call it once, after the run.
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
