// SPDX-License-Identifier: Apache-2.0
// WorkerEnv: the state that all parts of one task share.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_ENV_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_ENV_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/common_runtime/device_mgr.h"
#include "core/common_runtime/session_threads.h"
#include "core/distributed_runtime/cluster_limits.h"
#include "core/distributed_runtime/cluster_view.h"
#include "core/distributed_runtime/grpc_transport.h"
#include "core/distributed_runtime/rpc.h"
#include "core/protobuf/tensorflow_server.pb.h"

namespace tensorwright {

// The server fills it before it starts, and does not change it afterwards; its
// parts are thread safe.
struct WorkerEnv {
  ServerDef server_def;
  // "/job:worker/replica:0/task:1", the name with which the server was started.
  std::string task;
  ClusterSecurity security;
  ClusterLimits limits;

  std::shared_ptr<SessionThreads> threads;
  std::shared_ptr<DeviceMgr> devices;
  // Leads to this task's own worker, without the network.
  std::shared_ptr<Transport> own_worker;
  // The cluster of sessions that bring none of their own.
  std::shared_ptr<ClusterView> cluster;
  std::unique_ptr<ElasticPool> pool;

  // The task "/job:worker/replica:0/task:1" in a device's name.
  static absl::string_view TaskOf(absl::string_view device) {
    return device.substr(0, device.rfind("/device:"));
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_ENV_H_
