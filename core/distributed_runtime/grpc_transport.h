// SPDX-License-Identifier: Apache-2.0
// Calls by gRPC, from the client's side; and the security of both sides.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_TRANSPORT_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_TRANSPORT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "core/distributed_runtime/rpc.h"
#include "core/lib/core/status.h"

namespace grpc {
class ByteBuffer;
}  // namespace grpc

namespace tensorwright {

// The secrets by which the processes of a cluster know each other.  All of
// them, clients too, are started with the same environment:
//   TENSORWRIGHT_CLUSTER_TOKEN    a secret that every call must bring;
//   TENSORWRIGHT_CLUSTER_TLS_CA   file: who signed the others' certificates;
//   TENSORWRIGHT_CLUSTER_TLS_CERT, TENSORWRIGHT_CLUSTER_TLS_KEY
//                                 files: this process' certificate and key;
//   TENSORWRIGHT_CLUSTER_TLS_NAME the name in the servers' certificates, if
//                                 it is not that in their addresses;
//   TENSORWRIGHT_CLUSTER_TLS_CLIENTS
//                                 "certified", as by default: servers take
//                                 calls of those alone who show a certificate
//                                 that the CA signed; "any": of anybody.
// With a CA, calls are encrypted and servers must have a certificate that it
// signed.
struct ClusterSecurity {
  std::string token;
  std::string ca;
  std::string certificate;
  std::string key;
  std::string name;
  bool any_client = false;

  bool tls() const { return !ca.empty(); }

  // Reads the environment and the files.  NotFound and the like if a file
  // cannot be read; InvalidArgument if only a part of the variables is set.
  static StatusOr<ClusterSecurity> FromEnvironment();
};

// The kind of server at the other end: any runtime's, or a worker of this one.
enum class Peer { kAnyServer, kWorker };

// A transport to "host:port".  Connects with the first call; a connection that
// breaks is made again.  A silent connection is tried by pings while a call is
// in progress: calls to a machine that is gone fail with Unavailable, calls to
// workers after 20 seconds, others after minutes, since TensorFlow's servers do
// not take more pings.
std::unique_ptr<Transport> NewGrpcTransport(const std::string& address,
                                            const ClusterSecurity& security,
                                            Peer peer);

// The transports to workers by address, each made once.  Thread safe.
class TransportCache {
 public:
  explicit TransportCache(ClusterSecurity security)
      : security_(std::move(security)) {}
  std::shared_ptr<Transport> Get(const std::string& address);

 private:
  const ClusterSecurity security_;
  absl::Mutex mu_;
  std::map<std::string, std::shared_ptr<Transport>> by_address_
      ABSL_GUARDED_BY(mu_);
};

// The results share their bytes, except for small pieces.
absl::Cord CordFromBuffer(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer BufferFromCord(const absl::Cord& cord);

// InvalidArgument if there are more bytes than one message may have.
Status CheckMessageSize(int64_t bytes);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_GRPC_TRANSPORT_H_
