// SPDX-License-Identifier: Apache-2.0
// GrpcSession.
#include "core/distributed_runtime/grpc_session.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "core/common_runtime/session.h"
#include "core/distributed_runtime/grpc_transport.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/remote_graph.h"
#include "core/distributed_runtime/wire.h"
#include "core/framework/device_attributes.pb.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/config.pb.h"
#include "core/protobuf/master.pb.h"

namespace tensorwright {
namespace {

constexpr char kScheme[] = "grpc://";
// The master's word on a timeout says more than the network's: it comes first.
constexpr absl::Duration kGrace = absl::Milliseconds(500);

struct LocalMasters {
  absl::Mutex mu;
  std::map<std::string, std::weak_ptr<Transport>> by_target ABSL_GUARDED_BY(mu);
};

LocalMasters* GlobalLocalMasters() {
  static LocalMasters* const masters = new LocalMasters;
  return masters;
}

StatusOr<std::shared_ptr<Transport>> MasterOf(const std::string& target,
                                              const ConfigProto& config) {
  if (!config.rpc_options().use_rpc_for_inprocess_master()) {
    LocalMasters* const masters = GlobalLocalMasters();
    absl::MutexLock lock(&masters->mu);
    const auto it = masters->by_target.find(target);
    if (it != masters->by_target.end()) {
      if (auto master = it->second.lock()) return master;
      masters->by_target.erase(it);
    }
  }
  const std::string address = target.substr(sizeof(kScheme) - 1);
  if (address.empty()) {
    return errors::InvalidArgument("Session: the target '", target,
                                   "' has no address");
  }
  TF_ASSIGN_OR_RETURN(const ClusterSecurity security,
                      ClusterSecurity::FromEnvironment());
  return std::shared_ptr<Transport>(
      NewGrpcTransport(address, security, Peer::kAnyServer));
}

class GrpcCallable final : public Callable {
 public:
  GrpcCallable(RunSignature signature, std::vector<FeedSpec> feeds,
               int64_t mutation_version)
      : signature(std::move(signature)), mutation_version(mutation_version) {
    feeds_ = std::move(feeds);
  }
  const RunSignature signature;
  const int64_t mutation_version;
};

class GrpcSession final : public Session {
 public:
  GrpcSession(std::shared_ptr<LiveGraph> graph, const ConfigProto& config,
              std::string target, std::shared_ptr<Transport> master)
      : Session(std::move(graph)),
        config_(config),
        target_(std::move(target)),
        master_(std::move(master)),
        remote_(std::make_unique<RemoteGraph>(master_, target_, config)) {}
  ~GrpcSession() override { Close().IgnoreError(); }

  StatusOr<std::shared_ptr<const Callable>> MakeCallable(
      const RunSignature& signature, const RunHooks& /*hooks*/) override {
    const int64_t version = graph()->mutation_version();
    std::vector<FeedSpec> feeds;
    TF_RETURN_IF_ERROR(CheckNames(signature, &feeds));
    return std::shared_ptr<const Callable>(
        std::make_shared<GrpcCallable>(signature, std::move(feeds), version));
  }

  bool IsCurrent(const Callable& callable) const override {
    return static_cast<const GrpcCallable&>(callable).mutation_version ==
           graph()->mutation_version();
  }

  Status RunCallable(const Callable& callable, const RunOptions* options,
                     absl::Span<const Tensor> feeds,
                     std::vector<Tensor>* fetches, RunMetadata* metadata,
                     const RunHooks& hooks) override {
    const auto& c = static_cast<const GrpcCallable&>(callable);
    RunStepRequest request;
    for (const std::string& fetch : c.signature.fetches) {
      request.add_fetch(fetch);
    }
    for (const std::string& target : c.signature.targets) {
      request.add_target(target);
    }
    if (options != nullptr) *request.mutable_options() = *options;
    std::vector<std::string> names;
    for (const FeedSpec& spec : c.feeds()) names.push_back(spec.name);
    return RunStep(&request, names, c.signature.fetches, feeds, fetches,
                   metadata, hooks);
  }

  StatusOr<int64_t> PartialRunSetup(const RunSignature& signature,
                                    std::vector<FeedSpec>* feeds) override {
    TF_RETURN_IF_ERROR(CheckNames(signature, feeds));
    PartialRunSetupRequest request;
    for (const auto& name : signature.feeds) request.add_feed(name);
    for (const auto& name : signature.fetches) request.add_fetch(name);
    for (const auto& name : signature.targets) request.add_target(name);
    TF_ASSIGN_OR_RETURN(*request.mutable_session_handle(), Ready(RunHooks()));
    const CallResult result = master_->CallAndWait(
        MasterMethod("PartialRunSetup"), Encode(request), Options(0));
    TF_RETURN_IF_ERROR(result.status);
    PartialRunSetupResponse response;
    TF_RETURN_IF_ERROR(Decode(result.body, &response));
    absl::MutexLock lock(&mu_);
    const int64_t number = next_partial_++;
    partial_[number] = {signature, response.partial_run_handle()};
    return number;
  }

  Status RunPiece(int64_t handle, absl::Span<const int> feeds,
                  absl::Span<const Tensor> values,
                  absl::Span<const int> fetches, std::vector<Tensor>* fetched,
                  const RunHooks& hooks) override {
    RunStepRequest request;
    std::vector<std::string> feed_names, fetch_names;
    {
      absl::MutexLock lock(&mu_);
      const auto it = partial_.find(handle);
      if (it == partial_.end()) {
        return errors::InvalidArgument(
            "Must run 'setup' before performing partial runs!");
      }
      request.set_partial_run_handle(it->second.handle);
      const RunSignature& signature = it->second.signature;
      for (const int i : feeds) feed_names.push_back(signature.feeds[i]);
      for (const int i : fetches) fetch_names.push_back(signature.fetches[i]);
    }
    for (const std::string& name : fetch_names) request.add_fetch(name);
    return RunStep(&request, feed_names, fetch_names, values, fetched, nullptr,
                   hooks);
  }

  Status ListDevices(std::vector<DeviceAttributes>* devices) const override {
    ListDevicesRequest request;
    TF_ASSIGN_OR_RETURN(*request.mutable_session_handle(), Ready(RunHooks()));
    const CallResult result = master_->CallAndWait(MasterMethod("ListDevices"),
                                                   Encode(request), Options(0));
    TF_RETURN_IF_ERROR(result.status);
    ListDevicesResponse response;
    TF_RETURN_IF_ERROR(Decode(result.body, &response));
    for (const auto* list :
         {&response.local_device(), &response.remote_device()}) {
      devices->insert(devices->end(), list->begin(), list->end());
    }
    return OkStatus();
  }

  Status Reset(absl::Span<const std::string> containers) override {
    ResetRequest request;
    for (const std::string& container : containers) {
      request.add_container(container);
    }
    *request.mutable_device_filters() = config_.device_filters();
    return master_
        ->CallAndWait(MasterMethod("Reset"), Encode(request), Options(0))
        .status;
  }

  Status Close() override {
    remote_->Close();
    return OkStatus();
  }

 private:
  struct Partial {
    RunSignature signature;
    std::string handle;
  };

  Status CheckNames(const RunSignature& signature,
                    std::vector<FeedSpec>* feeds) const {
    const auto find = [this](const char* role, const std::string& name,
                             OutputRef* ref) -> Status {
      const TensorId id = ParseTensorName(name);
      ref->node = graph()->FindNode(id.node());
      ref->index = id.index();
      if (ref->node != nullptr && !id.IsControl() &&
          id.index() < ref->node->num_outputs()) {
        return OkStatus();
      }
      return errors::NotFound("Session: the ", role, " '", name,
                              "' is not in the graph");
    };
    OutputRef ref;
    for (const std::string& name : signature.feeds) {
      TF_RETURN_IF_ERROR(find("feed", name, &ref));
      FeedSpec& spec = feeds->emplace_back();
      spec.name = absl::StrCat(ref.node->name(), ":", ref.index);
      spec.dtype = BaseType(ref.node->output_type(ref.index));
      spec.shape = graph()->OutputShape(ref);
    }
    for (const std::string& name : signature.fetches) {
      TF_RETURN_IF_ERROR(find("fetch", name, &ref));
    }
    for (const std::string& name : signature.targets) {
      if (graph()->FindNode(name) != nullptr) continue;
      return errors::NotFound("Session: the target '", name,
                              "' is not in the graph");
    }
    return OkStatus();
  }

  CallOptions Options(int64_t timeout_ms) const {
    if (timeout_ms <= 0) timeout_ms = config_.operation_timeout_in_ms();
    CallOptions options;
    if (timeout_ms > 0) {
      options.deadline = absl::Now() + absl::Milliseconds(timeout_ms) + kGrace;
    }
    return options;
  }

  StatusOr<std::string> Ready(const RunHooks& hooks) const {
    return remote_->Update(*graph(), Options(0), hooks.interrupted);
  }

  Status RunStep(RunStepRequest* request,
                 const std::vector<std::string>& feed_names,
                 const std::vector<std::string>& fetch_names,
                 absl::Span<const Tensor> feeds, std::vector<Tensor>* fetches,
                 RunMetadata* metadata, const RunHooks& hooks) {
    TF_ASSIGN_OR_RETURN(*request->mutable_session_handle(), Ready(hooks));
    if (feeds.size() != feed_names.size()) {
      return errors::InvalidArgument("Session: the run needs ",
                                     feed_names.size(), " feeds, got ",
                                     feeds.size());
    }
    if (config_.operation_timeout_in_ms() > 0 &&
        request->options().timeout_in_ms() <= 0) {
      request->mutable_options()->set_timeout_in_ms(
          config_.operation_timeout_in_ms());
    }
    absl::Cord bytes = Encode(*request);
    for (size_t i = 0; i < feeds.size(); ++i) {
      AppendNamedTensor(RunStepRequest::kFeedFieldNumber, feed_names[i],
                        feeds[i], &bytes);
    }
    const absl::Time begun = absl::Now();
    const CallResult result = master_->CallAndWait(
        MasterMethod("RunStep"), std::move(bytes),
        Options(request->options().timeout_in_ms()), hooks.interrupted);
    TF_RETURN_IF_ERROR(result.status);
    RunStepResponse response;
    std::vector<NamedTensor> received;
    TF_RETURN_IF_ERROR(
        DecodeWithNamedTensors(result.body, RunStepResponse::kTensorFieldNumber,
                               &response, &received));
    TF_RETURN_IF_ERROR(ErrorFromText(static_cast<int>(response.status_code()),
                                     response.status_error_message()));
    fetches->clear();
    fetches->resize(fetch_names.size());
    for (size_t i = 0; i < fetch_names.size(); ++i) {
      // Finds it by name: TensorFlow's master gives each name once.
      bool found = false;
      for (const NamedTensor& named : received) {
        if (named.name != fetch_names[i]) continue;
        (*fetches)[i] = named.value;
        found = true;
        break;
      }
      if (!found) {
        return errors::Internal("The master at ", target_,
                                " did not return the fetch ", fetch_names[i]);
      }
    }
    if (metadata == nullptr) return OkStatus();
    metadata->Swap(response.mutable_metadata());
    if (metadata->step_stats().dev_stats_size() > 0) {
      DeviceStepStats* const row =
          metadata->mutable_step_stats()->add_dev_stats();
      row->set_device(kClientTimeline);
      AddCallStats(absl::StrCat("RunStep at ", target_), begun, absl::Now(),
                   row);
    }
    return OkStatus();
  }

  const ConfigProto config_;
  const std::string target_;
  const std::shared_ptr<Transport> master_;
  const std::unique_ptr<RemoteGraph> remote_;
  absl::Mutex mu_;
  int64_t next_partial_ ABSL_GUARDED_BY(mu_) = 1;
  std::map<int64_t, Partial> partial_ ABSL_GUARDED_BY(mu_);
};

class GrpcSessionFactory final : public SessionFactory {
 public:
  StatusOr<std::unique_ptr<Session>> NewSession(
      const std::string& target, const ConfigProto& config,
      std::shared_ptr<LiveGraph> graph) override {
    if (config.has_policy()) {
      return errors::InvalidArgument(
          "Session: the policy '", config.policy().name(), "' cannot hold at ",
          target,
          ", where other sessions share variables and devices: give it to the "
          "server, in the default_session_config of its ServerDef");
    }
    TF_ASSIGN_OR_RETURN(std::shared_ptr<Transport> master,
                        MasterOf(target, config));
    return std::unique_ptr<Session>(std::make_unique<GrpcSession>(
        std::move(graph), config, target, std::move(master)));
  }

  Status Reset(const std::string& target, const ConfigProto& config,
               absl::Span<const std::string> containers) override {
    TF_ASSIGN_OR_RETURN(
        const std::unique_ptr<Session> session,
        NewSession(target, config, std::make_shared<LiveGraph>()));
    return session->Reset(containers);
  }
};
const RegisterSessionFactory<GrpcSessionFactory> kRegistered("grpc");

}  // namespace

void RegisterLocalMaster(const std::string& target,
                         std::weak_ptr<Transport> master) {
  LocalMasters* const masters = GlobalLocalMasters();
  absl::MutexLock lock(&masters->mu);
  masters->by_target[target] = std::move(master);
}

}  // namespace tensorwright
