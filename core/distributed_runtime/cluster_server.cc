// SPDX-License-Identifier: Apache-2.0
// The server of one task: devices, worker, master and the gRPC end, behind
// ServerInterface (core/common_runtime/server.h), for the protocol "grpc".
//
// It listens on the loopback interface if that is the task's own address in the
// cluster ("localhost:2222"), else on the task's address, or on the address in
// TENSORWRIGHT_CLUSTER_LISTEN ("0.0.0.0": everywhere).  grpc_transport.h tells
// who may call, cluster_limits.h how much they may ask for.
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/server.h"
#include "core/distributed_runtime/grpc_server.h"
#include "core/distributed_runtime/grpc_session.h"
#include "core/distributed_runtime/master.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/worker.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

constexpr char kProtocol[] = "grpc";

bool IsLoopback(absl::string_view host) {
  return host.empty() || host == "localhost" || host == "::1" ||
         absl::StartsWith(host, "127.");
}

// "host:port", "[::1]:port", or "host" alone.
Status SplitAddress(const std::string& address, std::string* host, int* port) {
  *host = address;
  *port = 0;
  const size_t colon = address.rfind(':');
  if (colon != std::string::npos && address.back() != ']') {
    *host = address.substr(0, colon);
    if (!absl::SimpleAtoi(address.substr(colon + 1), port) || *port < 0 ||
        *port > 65535) {
      return errors::InvalidArgument("ServerDef: the address '", address,
                                     "' must be HOST:PORT");
    }
  }
  if (absl::StartsWith(*host, "[") && absl::EndsWith(*host, "]")) {
    *host = host->substr(1, host->size() - 2);
  }
  return OkStatus();
}

// Keeps calls that come before Start, and hands them on after it.
class Gate final : public Service {
 public:
  explicit Gate(Service* service) : service_(service) {}

  void Handle(std::shared_ptr<ServerCall> call) override {
    {
      absl::MutexLock lock(&mu_);
      if (!is_open_) {
        waiting_.push_back(std::move(call));
        return;
      }
    }
    service_->Handle(std::move(call));
  }

  void Open() {
    std::vector<std::shared_ptr<ServerCall>> waiting;
    {
      absl::MutexLock lock(&mu_);
      is_open_ = true;
      waiting.swap(waiting_);
    }
    for (auto& call : waiting) service_->Handle(std::move(call));
  }
  void Drop() {
    std::vector<std::shared_ptr<ServerCall>> waiting;
    {
      absl::MutexLock lock(&mu_);
      waiting.swap(waiting_);
    }
    for (auto& call : waiting) {
      call->Reply(errors::Cancelled("The server was stopped"));
    }
  }

 private:
  Service* const service_;
  absl::Mutex mu_;
  bool is_open_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::shared_ptr<ServerCall>> waiting_ ABSL_GUARDED_BY(mu_);
};

// The parts of a server.  Sessions of this process that use it without the
// network share it.
class Task {
 public:
  ~Task() {
    Stop();
    if (env_.pool == nullptr) return;
    env_.pool->Drain();
    // Sessions end while their worker still exists.
    master_.reset();
    env_.pool->Drain();
    worker_.reset();
  }

  Status Init(const ServerDef& def) {
    // Debian builds abseil with deadlock detection, which slows every lock and
    // guards against bugs, not input.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    env_.server_def = def;
    env_.task = TaskName(def.job_name(), def.replica(), def.task_index());
    TF_ASSIGN_OR_RETURN(env_.security, ClusterSecurity::FromEnvironment());
    TF_ASSIGN_OR_RETURN(env_.limits, ClusterLimits::FromEnvironment());
    const ConfigProto& config = def.default_session_config();
    if (config.policy().deterministic()) {
      return errors::InvalidArgument(
          "Server: the policy '", config.policy().name(),
          "' says 'deterministic: true', which is for sessions of one process: "
          "what tasks send each other comes at no fixed time");
    }
    TF_RETURN_IF_ERROR(SessionThreads::ForConfig(config, &env_.threads));
    std::vector<std::unique_ptr<Device>> devices;
    TF_RETURN_IF_ERROR(DeviceFactory::AddDevices(config, env_.task,
                                                 env_.threads.get(), &devices));
    env_.devices = std::make_shared<DeviceMgr>(std::move(devices));
    env_.pool = std::make_unique<ElasticPool>();
    worker_ = std::make_unique<Worker>(&env_);
    env_.own_worker = NewInProcessTransport(worker_.get());
    TF_ASSIGN_OR_RETURN(env_.cluster,
                        ClusterView::New(def, env_.security, env_.own_worker));
    master_ = std::make_unique<Master>(&env_);
    return Listen();
  }

  void Start() {
    worker_gate_->Open();
    master_gate_->Open();
  }

  void Stop() {
    {
      absl::MutexLock lock(&mu_);
      if (stopped_) return;
      stopped_ = true;
    }
    const Status status = errors::Cancelled("The server was stopped");
    if (worker_gate_ != nullptr) worker_gate_->Drop();
    if (master_gate_ != nullptr) master_gate_->Drop();
    if (master_ != nullptr) master_->Stop(status);
    if (worker_ != nullptr) worker_->Stop(status);
    if (grpc_ != nullptr) grpc_->Stop();
  }

  Master* master() { return master_.get(); }
  const std::string& target() const { return target_; }

 private:
  Status Listen() {
    std::string address = env_.cluster->address();
    GrpcServerOptions options;
    std::string host;
    TF_RETURN_IF_ERROR(SplitAddress(address, &host, &options.port));
    if (env_.server_def.port() != 0) options.port = env_.server_def.port();
    const char* listen = std::getenv("TENSORWRIGHT_CLUSTER_LISTEN");
    options.host = host;
    if (IsLoopback(host)) options.host = host == "::1" ? host : "127.0.0.1";
    if (listen != nullptr && *listen != '\0') options.host = listen;
    options.max_message_bytes = env_.limits.message_bytes;
    options.security = env_.security;
    worker_gate_ = std::make_unique<Gate>(worker_.get());
    master_gate_ = std::make_unique<Gate>(master_.get());
    TF_ASSIGN_OR_RETURN(
        grpc_,
        GrpcServer::Start(options, {{kWorkerService, worker_gate_.get()},
                                    {kMasterService, master_gate_.get()}}));
    address = absl::StrCat(host.find(':') == std::string::npos
                               ? host
                               : absl::StrCat("[", host, "]"),
                           ":", grpc_->port());
    env_.cluster->set_address(address);
    target_ = absl::StrCat("grpc://", address);
    return OkStatus();
  }

  WorkerEnv env_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Master> master_;
  std::unique_ptr<Gate> worker_gate_;
  std::unique_ptr<Gate> master_gate_;
  std::unique_ptr<GrpcServer> grpc_;
  std::string target_;
  absl::Mutex mu_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
};

// A transport to the master of a task of this process, which it keeps alive.
class LocalMasterTransport final : public Transport {
 public:
  explicit LocalMasterTransport(std::shared_ptr<Task> task)
      : task_(std::move(task)),
        inner_(NewInProcessTransport(task_->master())) {}
  std::shared_ptr<ClientCall> Call(absl::string_view method, absl::Cord request,
                                   const CallOptions& options,
                                   Done done) override {
    return inner_->Call(method, std::move(request), options, std::move(done));
  }

 private:
  const std::shared_ptr<Task> task_;
  const std::unique_ptr<Transport> inner_;
};

class ClusterServer final : public ServerInterface {
 public:
  explicit ClusterServer(std::shared_ptr<Task> task) : task_(std::move(task)) {}
  ~ClusterServer() override { Stop().IgnoreError(); }

  Status Start() override {
    absl::MutexLock lock(&mu_);
    if (stopped_) {
      return errors::FailedPrecondition(
          "Server: it has been stopped, and cannot be started again");
    }
    if (started_) return OkStatus();
    started_ = true;
    task_->Start();
    local_master_ = std::make_shared<LocalMasterTransport>(task_);
    RegisterLocalMaster(task_->target(), local_master_);
    LOG(INFO) << "Started server with target: " << task_->target();
    return OkStatus();
  }

  Status Stop() override {
    {
      absl::MutexLock lock(&mu_);
      if (stopped_) return OkStatus();
      local_master_.reset();
    }
    task_->Stop();
    absl::MutexLock lock(&mu_);
    stopped_ = true;
    return OkStatus();
  }

  bool WaitUntilStopped(absl::Duration timeout) override {
    absl::MutexLock lock(&mu_);
    return mu_.AwaitWithTimeout(absl::Condition(&stopped_), timeout);
  }

  std::string target() const override { return task_->target(); }

 private:
  const std::shared_ptr<Task> task_;
  absl::Mutex mu_;
  bool started_ ABSL_GUARDED_BY(mu_) = false;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::shared_ptr<Transport> local_master_ ABSL_GUARDED_BY(mu_);
};

class ClusterServerFactory final : public ServerFactory {
 public:
  StatusOr<std::unique_ptr<ServerInterface>> NewServer(
      const ServerDef& def) override {
    auto task = std::make_shared<Task>();
    TF_RETURN_IF_ERROR(task->Init(def));
    return std::unique_ptr<ServerInterface>(
        std::make_unique<ClusterServer>(std::move(task)));
  }
};

const bool kRegistered = [] {
  ServerFactory::Register(kProtocol, std::make_unique<ClusterServerFactory>());
  return true;
}();

}  // namespace
}  // namespace tensorwright
