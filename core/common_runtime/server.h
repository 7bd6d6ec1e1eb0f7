// SPDX-License-Identifier: Apache-2.0
// ServerInterface: one task of a cluster, which runs graphs for clients and
// other tasks.
//
//   TF_ASSIGN_OR_RETURN(auto server, NewServer(server_def));
//   TF_RETURN_IF_ERROR(server->Start());
//   auto session = NewSession(server->target(), config, graph);
//
// Each protocol registers a factory when their library is loaded
// (libtensorwright_distributed.so: "grpc").
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SERVER_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SERVER_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class ServerDef;

// Thread safe.  The destructor stops the server.
class ServerInterface {
 public:
  virtual ~ServerInterface() = default;

  // Begins to take calls; does nothing when called again.  FailedPrecondition
  // for a server that was stopped.
  virtual Status Start() = 0;
  // Ends its sessions and steps, and takes no more calls.
  virtual Status Stop() = 0;
  // Waits until the server is stopped, at most so long; returns whether it was.
  virtual bool WaitUntilStopped(absl::Duration timeout) = 0;

  // The target that sessions on this server are made with:
  // "grpc://localhost:2222".
  virtual std::string target() const = 0;
};

// Makes servers of one protocol.  Thread safe; never destroyed.
class ServerFactory {
 public:
  virtual ~ServerFactory() = default;

  // InvalidArgument for a `def` that makes no sense; Unavailable if the address
  // cannot be listened on.
  virtual StatusOr<std::unique_ptr<ServerInterface>> NewServer(
      const ServerDef& def) = 0;

  // The last factory of a protocol counts.
  static void Register(const std::string& protocol,
                       std::unique_ptr<ServerFactory> factory);
};

// Calls the factory of def.protocol().  NotFound, naming the protocols there
// are, if there is none.
StatusOr<std::unique_ptr<ServerInterface>> NewServer(const ServerDef& def);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SERVER_H_
