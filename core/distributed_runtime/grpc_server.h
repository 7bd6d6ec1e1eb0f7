// SPDX-License-Identifier: Apache-2.0
// The gRPC end of a server: takes calls, and hands them to services by the
// first part of their method's name.
//
// Calls without the cluster's token are refused before their message is looked
// at, with a text that tells nothing else.  A message that is longer than the
// limit, or malformed, is an error to its client only.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_SERVER_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_SERVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/distributed_runtime/grpc_transport.h"
#include "core/distributed_runtime/rpc.h"
#include "core/lib/core/status.h"

namespace tensorwright {

struct GrpcServerOptions {
  // The address to listen on: "127.0.0.1", "0.0.0.0", a name.
  std::string host;
  int port = 0;  // 0: any free port.
  ClusterSecurity security;
  int64_t max_message_bytes = INT32_MAX;
};

// Thread safe.
class GrpcServer {
 public:
  virtual ~GrpcServer() = default;

  // `services`, by the prefixes of the methods' names, are not owned and
  // outlive the server.  Unavailable if the address is taken or not this
  // machine's.
  static StatusOr<std::unique_ptr<GrpcServer>> Start(
      const GrpcServerOptions& options,
      std::map<std::string, Service*> services);

  // The port it listens on.
  virtual int port() const = 0;
  // Takes no more calls, cancels those in progress and waits for their end.
  virtual void Stop() = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_SERVER_H_
