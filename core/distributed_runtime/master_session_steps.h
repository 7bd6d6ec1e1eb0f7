// SPDX-License-Identifier: Apache-2.0
// Plans, partial runs, and the names of calls, which the two sources of
// MasterSession share.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_SESSION_STEPS_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_SESSION_STEPS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/distributed_runtime/cluster_plan.h"
#include "core/distributed_runtime/master_session.h"

namespace tensorwright {

// A plan, registered with its tasks by the first step that needs it.
struct MasterSession::Registered {
  std::unique_ptr<ClusterPlan> plan;
  absl::Mutex mu;  // Held while it is registered.
  bool done ABSL_GUARDED_BY(mu) = false;
};

struct MasterSession::Partial {
  std::shared_ptr<Registered> plan;
  int64_t step_id = 0;
  absl::Mutex mu;  // Held by the piece that runs.
  std::vector<bool> fed ABSL_GUARDED_BY(mu);
  std::vector<bool> fetched ABSL_GUARDED_BY(mu);
};

namespace master {

// "/tensorflow.WorkerService/RunGraph" for "RunGraph".
std::string WorkerMethod(const char* name);

// A random id, which is unlikely to be used by others: steps of several masters
// meet at a task.
int64_t RandomId();

}  // namespace master
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MASTER_SESSION_STEPS_H_
