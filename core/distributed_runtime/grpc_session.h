// SPDX-License-Identifier: Apache-2.0
// GrpcSession: a session whose master is a server, of this process or another,
// of this runtime or TensorFlow's.
//
// The master gets the graph with the first run, and the nodes added since with
// every later one.  Nodes that it has must not change any more: a run after
// such a change is FailedPrecondition.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_SESSION_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_SESSION_H_

#include <memory>
#include <string>

#include "core/distributed_runtime/rpc.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The masters of this process, by target; sessions on them need no network.
// Thread safe.
void RegisterLocalMaster(const std::string& target,
                         std::weak_ptr<Transport> master);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_SESSION_H_
