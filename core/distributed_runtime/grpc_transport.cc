// SPDX-License-Identifier: Apache-2.0
// Calls by gRPC.
#include "core/distributed_runtime/grpc_transport.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

constexpr int kReconnectMs = 1000;
// The intervals of pings, and of waiting for their answers.
constexpr int kWorkerPingMs = 10'000;
constexpr int kServerPingMs = 310'000;
constexpr int kPingTimeoutMs = 10'000;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Status ReadNamedFile(const char* variable, std::string* contents) {
  const std::string file = Variable(variable);
  if (file.empty()) return OkStatus();
  TF_RETURN_WITH_CONTEXT_IF_ERROR(
      ReadFileToString(Env::Default(), file, contents), "(which the variable ",
      variable, " names)");
  if (contents->empty()) {
    return errors::InvalidArgument("File '", file, "' of ", variable,
                                   " is empty");
  }
  return OkStatus();
}

// One call, from its beginning to its end.  gRPC's callback holds it.
struct GrpcCall final : public ClientCall {
  void Cancel() override { context.TryCancel(); }

  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return OkStatus();
  return ErrorFromText(static_cast<int>(status.error_code()),
                       status.error_message());
}

// gRPC ends the threads of its callbacks with the last channel.  A channel may
// be destroyed in one of these threads, with the call that was the last to hold
// it; the thread would then wait for its own end.  So one channel, which leads
// nowhere and has made a call, stays for ever.
void KeepCallbackThreads() {
  static const bool kept = [] {
    auto* const stub = new grpc::GenericStub(grpc::CreateChannel(
        "unix:/dev/null/nowhere", grpc::InsecureChannelCredentials()));
    const auto call = std::make_shared<GrpcCall>();
    call->context.set_deadline(std::chrono::system_clock::now());
    call->request = BufferFromCord(absl::Cord());
    stub->UnaryCall(&call->context, "/none/none", grpc::StubOptions(),
                    &call->request, &call->response,
                    [call](const grpc::Status&) {});
    return true;
  }();
  static_cast<void>(kept);
}

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(std::shared_ptr<grpc::Channel> channel, std::string token)
      : stub_(std::move(channel)), token_(std::move(token)) {}

  std::shared_ptr<ClientCall> Call(absl::string_view method, absl::Cord request,
                                   const CallOptions& options,
                                   Done done) override {
    const auto call = std::make_shared<GrpcCall>();
    const Status size = CheckMessageSize(request.size());
    if (!size.ok()) {
      CallResult result;
      result.status = size;
      done(std::move(result));
      return call;
    }
    if (options.deadline != absl::InfiniteFuture()) {
      call->context.set_deadline(absl::ToChronoTime(options.deadline));
    }
    call->context.set_wait_for_ready(options.wait_for_ready);
    call->context.AddMetadata(kRuntimeMetadata, kRuntimeVersion);
    if (!token_.empty()) call->context.AddMetadata(kTokenMetadata, token_);
    call->request = BufferFromCord(request);
    stub_.UnaryCall(&call->context, std::string(method), grpc::StubOptions(),
                    &call->request, &call->response,
                    [call, done = std::move(done)](const grpc::Status& status) {
                      CallResult result;
                      result.status = FromGrpc(status);
                      result.from_tensorwright =
                          call->context.GetServerInitialMetadata().count(
                              kRuntimeMetadata) > 0;
                      if (status.ok())
                        result.body = CordFromBuffer(call->response);
                      done(std::move(result));
                    });
    return call;
  }

 private:
  grpc::GenericStub stub_;
  const std::string token_;
};

}  // namespace

StatusOr<ClusterSecurity> ClusterSecurity::FromEnvironment() {
  ClusterSecurity security;
  security.token = Variable("TENSORWRIGHT_CLUSTER_TOKEN");
  security.name = Variable("TENSORWRIGHT_CLUSTER_TLS_NAME");
  TF_RETURN_IF_ERROR(
      ReadNamedFile("TENSORWRIGHT_CLUSTER_TLS_CA", &security.ca));
  TF_RETURN_IF_ERROR(
      ReadNamedFile("TENSORWRIGHT_CLUSTER_TLS_CERT", &security.certificate));
  TF_RETURN_IF_ERROR(
      ReadNamedFile("TENSORWRIGHT_CLUSTER_TLS_KEY", &security.key));
  const std::string clients = Variable("TENSORWRIGHT_CLUSTER_TLS_CLIENTS");
  security.any_client = clients == "any";
  if (!clients.empty() && clients != "any" && clients != "certified") {
    return errors::InvalidArgument(
        "TENSORWRIGHT_CLUSTER_TLS_CLIENTS must be 'certified' or 'any', got '",
        clients, "'");
  }
  const bool has_certificate = !security.certificate.empty();
  if (has_certificate != !security.key.empty() ||
      (has_certificate && !security.tls())) {
    return errors::InvalidArgument(
        "TENSORWRIGHT_CLUSTER_TLS_CERT, _KEY and _CA belong together: a process"
        " with a certificate needs its key and the CA");
  }
  return security;
}

std::unique_ptr<Transport> NewGrpcTransport(const std::string& address,
                                            const ClusterSecurity& security,
                                            Peer peer) {
  KeepCallbackThreads();
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
              peer == Peer::kWorker ? kWorkerPingMs : kServerPingMs);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMs);
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  args.SetMaxReceiveMessageSize(-1);
  args.SetMaxSendMessageSize(-1);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectMs);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectMs / 10);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs / 10);
  // A cluster's traffic goes straight from machine to machine.
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  std::shared_ptr<grpc::ChannelCredentials> credentials =
      grpc::InsecureChannelCredentials();
  if (security.tls()) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = security.ca;
    options.pem_cert_chain = security.certificate;
    options.pem_private_key = security.key;
    credentials = grpc::SslCredentials(options);
    if (!security.name.empty()) {
      args.SetSslTargetNameOverride(security.name);
    }
  }
  return std::make_unique<GrpcTransport>(
      grpc::CreateCustomChannel("dns:///" + address, credentials, args),
      security.token);
}

std::shared_ptr<Transport> TransportCache::Get(const std::string& address) {
  absl::MutexLock lock(&mu_);
  std::shared_ptr<Transport>& known = by_address_[address];
  if (known == nullptr)
    known = NewGrpcTransport(address, security_, Peer::kWorker);
  return known;
}

absl::Cord CordFromBuffer(const grpc::ByteBuffer& buffer) {
  absl::Cord cord;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return cord;
  for (const grpc::Slice& slice : slices) {
    const absl::string_view bytes(reinterpret_cast<const char*>(slice.begin()),
                                  slice.size());
    if (bytes.size() < kMinSharedBytes) {
      cord.Append(bytes);
    } else {
      cord.Append(absl::MakeCordFromExternal(bytes, [slice] {}));
    }
  }
  return cord;
}

grpc::ByteBuffer BufferFromCord(const absl::Cord& cord) {
  std::vector<grpc::Slice> slices;
  for (const absl::string_view bytes : cord.Chunks()) {
    if (bytes.size() < kMinSharedBytes) {
      slices.emplace_back(bytes.data(), bytes.size());
      continue;
    }
    // The slice holds the cord, which holds the bytes.
    slices.emplace_back(
        const_cast<char*>(bytes.data()), bytes.size(),
        [](void* held) { delete static_cast<absl::Cord*>(held); },
        new absl::Cord(cord));
  }
  if (slices.empty()) slices.emplace_back("", 0);
  return grpc::ByteBuffer(slices.data(), slices.size());
}

Status CheckMessageSize(int64_t bytes) {
  if (bytes <= INT32_MAX) return OkStatus();
  return errors::InvalidArgument(
      "A message of ", bytes,
      " bytes cannot be sent: the limit is 2 GB. Feed or fetch less at a time,"
      " or split the tensor");
}

}  // namespace tensorwright
