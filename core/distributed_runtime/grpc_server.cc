// SPDX-License-Identifier: Apache-2.0
// The gRPC end of a server.
#include "core/distributed_runtime/grpc_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The time for which a connection is silent before it is tried, and the time
// that the try may take.
constexpr int kPingMs = 10'000;

// Compares in a time that does not depend on where they differ.
bool SameSecret(absl::string_view a, absl::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

class Reactor;

// The call as services see it.  The reactor, which gRPC calls, lives until gRPC
// is done with it; this object lives until the service is.
class GrpcServerCall final : public ServerCall {
 public:
  GrpcServerCall(Reactor* reactor, const grpc::GenericCallbackServerContext& c,
                 absl::Cord request)
      : reactor_(reactor),
        method_(c.method()),
        request_(std::move(request)),
        deadline_(c.deadline() == std::chrono::system_clock::time_point::max()
                      ? absl::InfiniteFuture()
                      : absl::FromChrono(c.deadline())),
        from_tensorwright_(c.client_metadata().count(kRuntimeMetadata) > 0) {}
  ~GrpcServerCall() override {
    if (!replied()) {
      Send(errors::Internal("The call was not answered"), absl::Cord());
    }
  }

  absl::string_view method() const override { return method_; }
  const absl::Cord& request() const override { return request_; }
  absl::Time deadline() const override { return deadline_; }
  bool from_tensorwright() const override { return from_tensorwright_; }
  void GiveUp() { Cancelled(); }

 private:
  void Send(const Status& status, absl::Cord body) override;

  Reactor* const reactor_;  // Alive until Send has told it to finish.
  const std::string method_;
  const absl::Cord request_;
  const absl::Time deadline_;
  const bool from_tensorwright_;
};

// gRPC calls this for one call: it reads the message, answers, and deletes
// itself.
class Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(grpc::GenericCallbackServerContext* context, Service* service)
      : context_(context), service_(service) {
    StartRead(&buffer_);
  }
  // Answers a call that is refused.
  explicit Reactor(const grpc::Status& refusal)
      : context_(nullptr), service_(nullptr) {
    Finish(refusal);
  }

  void OnReadDone(bool ok) override {
    if (service_ == nullptr) return;
    if (!ok) {
      Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                          "The call has no message, or too long a one"));
      return;
    }
    context_->AddInitialMetadata(kRuntimeMetadata, kRuntimeVersion);
    auto call = std::make_shared<GrpcServerCall>(this, *context_,
                                                 CordFromBuffer(buffer_));
    buffer_.Clear();
    bool cancelled = false;
    {
      absl::MutexLock lock(&mu_);
      call_ = call;
      cancelled = cancelled_;
    }
    if (cancelled) call->GiveUp();
    service_->Handle(std::move(call));
  }
  void OnCancel() override {
    std::shared_ptr<GrpcServerCall> call;
    {
      absl::MutexLock lock(&mu_);
      cancelled_ = true;
      call = call_.lock();
    }
    if (call != nullptr) call->GiveUp();
  }
  void OnDone() override { delete this; }

  void Answer(const Status& status, absl::Cord body) {
    Status sent = status;
    if (sent.ok()) sent = CheckMessageSize(body.size());
    if (!sent.ok()) {
      Finish(grpc::Status(static_cast<grpc::StatusCode>(sent.code()),
                          ErrorText(sent)));
      return;
    }
    buffer_ = BufferFromCord(body);
    StartWriteAndFinish(&buffer_, grpc::WriteOptions(), grpc::Status::OK);
  }

 private:
  grpc::GenericCallbackServerContext* const context_;
  Service* const service_;
  grpc::ByteBuffer buffer_;
  absl::Mutex mu_;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
  std::weak_ptr<GrpcServerCall> call_ ABSL_GUARDED_BY(mu_);
};

void GrpcServerCall::Send(const Status& status, absl::Cord body) {
  reactor_->Answer(status, std::move(body));
}

class GrpcServerImpl final : public GrpcServer,
                             public grpc::CallbackGenericService {
 public:
  GrpcServerImpl(std::string token, std::map<std::string, Service*> services)
      : token_(std::move(token)), services_(std::move(services)) {}
  ~GrpcServerImpl() override { Stop(); }

  Status Begin(const GrpcServerOptions& options) {
    const std::string address =
        absl::StrCat(options.host.find(':') == std::string::npos
                         ? options.host
                         : absl::StrCat("[", options.host, "]"),
                     ":", options.port);
    std::shared_ptr<grpc::ServerCredentials> credentials =
        grpc::InsecureServerCredentials();
    if (options.security.tls()) {
      if (options.security.certificate.empty()) {
        return errors::InvalidArgument(
            "A server with TENSORWRIGHT_CLUSTER_TLS_CA needs a certificate of"
            " its own: TENSORWRIGHT_CLUSTER_TLS_CERT and _KEY");
      }
      grpc::SslServerCredentialsOptions tls(
          options.security.any_client
              ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
              : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      tls.pem_root_certs = options.security.ca;
      tls.pem_key_cert_pairs.push_back(
          {options.security.key, options.security.certificate});
      credentials = grpc::SslServerCredentials(tls);
    }
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, credentials, &port_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(
        std::min<int64_t>(options.max_message_bytes, INT32_MAX)));
    builder.SetMaxSendMessageSize(-1);
    // Clients and masters ping while they wait, and the server pings them.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingMs);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    builder.AddChannelArgument(
        GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kPingMs / 10);
    // Two servers on one port would share its calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    if (server_ != nullptr && port_ != 0) return OkStatus();
    return errors::Unavailable("Could not start a server on ", address,
                               ": the address is in use, or not this machine's"
                               ", or its certificate is not valid");
  }

  int port() const override { return port_; }

  void Stop() override {
    if (server_ == nullptr) return;
    // Waits for nobody: calls may take as long as their clients like.
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    if (!token_.empty()) {
      const auto given = context->client_metadata().find(kTokenMetadata);
      if (given == context->client_metadata().end() ||
          !SameSecret({given->second.data(), given->second.size()}, token_)) {
        return new Reactor(grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                                        "This server needs a token"));
      }
    }
    for (const auto& [prefix, service] : services_) {
      if (absl::StartsWith(context->method(), prefix)) {
        return new Reactor(context, service);
      }
    }
    return new Reactor(grpc::Status(grpc::StatusCode::UNIMPLEMENTED,
                                    "This server has no such method"));
  }

 private:
  const std::string token_;
  const std::map<std::string, Service*> services_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const GrpcServerOptions& options,
    std::map<std::string, Service*> services) {
  auto server = std::make_unique<GrpcServerImpl>(options.security.token,
                                                 std::move(services));
  TF_RETURN_IF_ERROR(server->Begin(options));
  return std::unique_ptr<GrpcServer>(std::move(server));
}

}  // namespace tensorwright
