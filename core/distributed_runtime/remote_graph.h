// SPDX-License-Identifier: Apache-2.0
// RemoteGraph: a master's copy of a client's graph.
//
// The master gets the graph with the first run, and the nodes added since with
// every later one.  Nodes that it has must not change any more: a run after
// such a change is FailedPrecondition.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_REMOTE_GRAPH_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_REMOTE_GRAPH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/distributed_runtime/rpc.h"
#include "core/distributed_runtime/session_holds.h"
#include "core/framework/graph.pb.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {

// Thread safe.
class RemoteGraph {
 public:
  // `config` makes the master's session.
  RemoteGraph(std::shared_ptr<Transport> master, std::string target,
              const ConfigProto& config);
  ~RemoteGraph() { Close(); }

  // Makes the master's session, or brings its graph up to date; returns the
  // session's handle.  `interrupted`, unless null, is polled.  `options` has
  // the deadline.
  StatusOr<std::string> Update(const LiveGraph& graph,
                               const CallOptions& options,
                               const std::function<bool()>& interrupted);
  // Ends the master's session.  If the master is gone, or does not know the
  // session any more, there is nothing to end.
  void Close();

 private:
  Status CheckUnchanged(const GraphDef& def) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status Create(GraphDef* def, CallOptions options,
                const std::function<bool()>& interrupted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status Extend(GraphDef* def, const CallOptions& options,
                const std::function<bool()>& interrupted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::shared_ptr<Transport> master_;
  const std::string target_;
  const ConfigProto config_;
  // Held while the session is made or extended.
  absl::Mutex mu_;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  std::string handle_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<SessionHold> hold_ ABSL_GUARDED_BY(mu_);
  int64_t master_version_ ABSL_GUARDED_BY(mu_) = 0;
  // Fingerprints of the nodes that the master has, in order.
  std::vector<size_t> sent_ ABSL_GUARDED_BY(mu_);
  int64_t sent_version_ ABSL_GUARDED_BY(mu_) = -1;
  int64_t sent_mutation_version_ ABSL_GUARDED_BY(mu_) = 0;
};

// "/tensorflow.MasterService/RunStep" for "RunStep".
std::string MasterMethod(const char* name);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_REMOTE_GRAPH_H_
