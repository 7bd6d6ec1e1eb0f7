// SPDX-License-Identifier: Apache-2.0
// ClusterView: the tasks of a cluster with their addresses, as one of the tasks
// sees them.
//
// A server has the view that it was started with.  A session whose config has a
// cluster_def brings another, in which the same servers may be other tasks; it
// lives as long as the session.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_VIEW_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_VIEW_H_

#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/distributed_runtime/grpc_transport.h"
#include "core/distributed_runtime/rpc.h"
#include "core/lib/core/status.h"
#include "core/protobuf/tensorflow_server.pb.h"

namespace tensorwright {

// Does not change once it is in use; thread safe.
class ClusterView {
 public:
  // `own_worker` leads to the task itself, without the network.
  // InvalidArgument if the cluster does not have the task that `def` names, or
  // has two tasks of one address, other than those whose port is still open
  // (0).
  static StatusOr<std::shared_ptr<ClusterView>> New(
      const ServerDef& def, const ClusterSecurity& security,
      std::shared_ptr<Transport> own_worker);

  // The name of the task whose view it is: "/job:worker/replica:0/task:1".
  const std::string& task() const { return task_; }
  // The ServerDef that it was made from.
  const ServerDef& def() const { return def_; }
  // The address of every task, by its name.
  const std::map<std::string, std::string>& addresses() const {
    return addresses_;
  }
  const std::string& address() const { return addresses_.at(task_); }

  // Null for a task that the cluster does not have.
  std::shared_ptr<Transport> WorkerOf(absl::string_view task) const;

  // Sets the task's own address, once its port is known.  Call it before the
  // view is in use.
  void set_address(const std::string& address) { addresses_[task_] = address; }

 private:
  ClusterView(const ServerDef& def, const ClusterSecurity& security,
              std::shared_ptr<Transport> own_worker);

  const ServerDef def_;
  const std::string task_;
  const std::shared_ptr<Transport> own_worker_;
  std::map<std::string, std::string> addresses_;
  const std::unique_ptr<TransportCache> transports_;
};

// "/job:worker/replica:0/task:1".
std::string TaskName(const std::string& job, int replica, int task);

// The ServerDef by which the server at `address` is a task of `cluster`.
// InvalidArgument, naming the address, if none of its tasks has it.
StatusOr<ServerDef> ServerDefOf(const ClusterDef& cluster,
                                const std::string& address);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_CLUSTER_VIEW_H_
