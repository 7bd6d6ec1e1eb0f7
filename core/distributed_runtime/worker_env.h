// SPDX-License-Identifier: Apache-2.0
// WorkerEnv: what everything of one task shares.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_ENV_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_ENV_H_

#include <map>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/common_runtime/device_mgr.h"
#include "core/common_runtime/session_threads.h"
#include "core/distributed_runtime/grpc_transport.h"
#include "core/distributed_runtime/rpc.h"
#include "core/protobuf/tensorflow_server.pb.h"

namespace tensorwright {

// Filled by the server before it starts and not changed afterwards; its parts
// are thread safe.
struct WorkerEnv {
  ServerDef server_def;
  // "/job:worker/replica:0/task:1", and that of every task of the cluster with
  // its address.
  std::string task;
  std::map<std::string, std::string> addresses;

  std::shared_ptr<SessionThreads> threads;
  std::shared_ptr<DeviceMgr> devices;
  std::unique_ptr<TransportCache> transports;
  // To this task's own worker, without the network.
  std::shared_ptr<Transport> own_worker;
  std::unique_ptr<ElasticPool> pool;

  // "/job:worker/replica:0/task:1" of a device's name.
  static absl::string_view TaskOf(absl::string_view device) {
    return device.substr(0, device.rfind("/device:"));
  }
  // Null for a task that the cluster does not have.
  std::shared_ptr<Transport> WorkerOf(absl::string_view of_task) const {
    if (of_task == task) return own_worker;
    const auto it = addresses.find(std::string(of_task));
    return it == addresses.end() ? nullptr : transports->Get(it->second);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_WORKER_ENV_H_
