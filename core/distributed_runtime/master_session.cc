// SPDX-License-Identifier: Apache-2.0
// MasterSession: its graph, its tasks and its plans; master_session_steps.cc
// runs the steps.
#include "core/distributed_runtime/master_session.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/master_session_steps.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/step_calls.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"
#include "core/protobuf/worker.pb.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace {

// The time that the end of a session may take at a task that does not answer.
constexpr absl::Duration kCloseTimeout = absl::Seconds(5);

// Nodes that a client adds may take outputs of nodes that exist already.
void MapInputs(const LiveGraph& graph, const GraphDef& def,
               std::map<std::string, OutputRef>* map) {
  absl::flat_hash_set<absl::string_view> own;
  for (const NodeDef& node : def.node()) own.insert(node.name());
  for (const NodeDef& node : def.node()) {
    for (const std::string& input : node.input()) {
      const TensorId id = ParseTensorName(input);
      if (own.contains(id.node())) continue;
      Node* const known = graph.FindNode(id.node());
      // A node that does not exist is an error of the import.
      if (known != nullptr)
        (*map)[id.ToString()] = OutputRef{known, id.index()};
    }
  }
}

}  // namespace

bool MatchesDeviceFilters(
    const google::protobuf::RepeatedPtrField<std::string>& filters,
    const std::string& task) {
  DeviceNameUtils::ParsedName parsed_task;
  if (filters.empty()) return true;
  if (!DeviceNameUtils::ParseFullName(task, &parsed_task)) return false;
  return absl::c_any_of(filters, [&](const std::string& filter) {
    DeviceNameUtils::ParsedName parsed;
    return DeviceNameUtils::ParseFullName(filter, &parsed) &&
           DeviceNameUtils::IsSpecification(parsed, parsed_task);
  });
}

MasterSession::MasterSession(const WorkerEnv* env, std::string handle)
    : env_(env),
      handle_(std::move(handle)),
      cluster_(env->cluster),
      graph_(std::make_shared<LiveGraph>()) {}

MasterSession::~MasterSession() {
  Close(errors::Cancelled("The session was closed"));
}

StatusOr<std::shared_ptr<MasterSession>> MasterSession::New(
    const WorkerEnv* env, const CreateSessionRequest& request,
    absl::Time deadline, ServerCall* call) {
  std::shared_ptr<MasterSession> session(
      new MasterSession(env, absl::StrCat(absl::Hex(master::RandomId()))));
  session->config_ = env->server_def.default_session_config();
  session->config_.MergeFrom(request.config());
  if (request.config().has_cluster_def()) {
    TF_RETURN_IF_ERROR(session->SetCluster(request.target()));
  }
  TF_RETURN_IF_ERROR(env->limits.CheckGraph(0, request.graph_def()));
  session->nodes_ = CountNodes(request.graph_def());
  TF_RETURN_IF_ERROR(
      session->graph_->Import(request.graph_def(), ImportOptions()).status());
  TF_RETURN_IF_ERROR(session->FindWorkers(deadline, call));
  TF_RETURN_IF_ERROR(session->MakeWorkerSessions(deadline));
  return session;
}

Status MasterSession::SetCluster(const std::string& target) {
  // The address by which the client knows this server, or the one by which the
  // server's own cluster does.
  const absl::string_view address = absl::StripPrefix(target, "grpc://");
  StatusOr<ServerDef> def =
      ServerDefOf(config_.cluster_def(), std::string(address));
  if (!def.ok()) {
    auto known = ServerDefOf(config_.cluster_def(), env_->cluster->address());
    if (known.ok()) def = std::move(known);
  }
  TF_RETURN_IF_ERROR(def.status());
  TF_ASSIGN_OR_RETURN(cluster_,
                      ClusterView::New(*def, env_->security, env_->own_worker));
  // In a cluster of its own, the session shares the values of variables only if
  // the config asks for that, as in TensorFlow.
  config_.set_isolate_session_state(
      !config_.experimental().share_session_state_in_clusterspec_propagation());
  return OkStatus();
}

Status MasterSession::FindWorkers(absl::Time deadline, ServerCall* call) {
  std::vector<std::string> tasks = {cluster_->task()};
  for (const auto& [task, address] : cluster_->addresses()) {
    if (task == cluster_->task()) continue;
    if (MatchesDeviceFilters(config_.device_filters(), task)) {
      tasks.push_back(task);
    }
  }
  const auto calls = std::make_shared<StepCalls>();
  if (call != nullptr) {
    call->OnCancel([calls] {
      calls->Fail(errors::Cancelled("The client has given the session up"));
    });
  }
  const auto forget = absl::MakeCleanup([call] {
    if (call != nullptr) call->ForgetCancel();
  });
  CallOptions options;
  options.wait_for_ready = true;
  options.deadline = deadline;
  for (const std::string& task : tasks) {
    workers_[task] = cluster_->WorkerOf(task);
    calls->Start(workers_[task].get(), master::WorkerMethod("GetStatus"),
                 Encode(GetStatusRequest()), options);
  }
  TF_RETURN_IF_ERROR(
      calls->Wait(deadline, [&](const std::vector<size_t>& missing) {
        for (const size_t i : missing) {
          LOG(INFO) << "CreateSession still waiting for response from worker: "
                    << tasks[i];
        }
      }));
  for (size_t i = 0; i < tasks.size(); ++i) {
    TF_RETURN_IF_ERROR(AddDevices(tasks[i], calls->result(i)));
  }
  return OkStatus();
}

Status MasterSession::AddDevices(const std::string& task,
                                 const CallResult& result) {
  const std::string& address = cluster_->addresses().at(task);
  if (!result.from_tensorwright) {
    return errors::FailedPrecondition(
        "The worker ", task, " at ", address,
        " does not run tensorwright: all tasks of one cluster must run the"
        " same runtime (clients may run either)");
  }
  GetStatusResponse response;
  TF_RETURN_IF_ERROR(Decode(result.body, &response));
  for (DeviceAttributes& attributes : *response.mutable_device_attributes()) {
    const absl::string_view name = attributes.name();
    const absl::string_view said = WorkerEnv::TaskOf(name);
    if (said != task) {
      if (cluster_ == env_->cluster) {
        return errors::FailedPrecondition(
            "The address ", address, " of ", task, " is that of ", said,
            ": the tasks were given different clusters");
      }
      // The device gets the task's name in the session's cluster.
      attributes.set_name(absl::StrCat(task, name.substr(said.size())));
    }
    TF_ASSIGN_OR_RETURN(DeviceInfo info,
                        DeviceInfo::FromAttributes(attributes));
    owned_devices_.push_back(std::make_unique<DeviceInfo>(std::move(info)));
    devices_.Add(owned_devices_.back().get());
  }
  return OkStatus();
}

Status MasterSession::MakeWorkerSessions(absl::Time deadline) {
  CreateWorkerSessionRequest request;
  request.set_session_handle(handle_);
  request.set_isolate_session_state(config_.isolate_session_state());
  request.set_master_task(cluster_->task());
  const bool has_own_cluster = cluster_ != env_->cluster;
  if (has_own_cluster) *request.mutable_server_def() = cluster_->def();
  const auto calls = std::make_shared<StepCalls>();
  CallOptions options;
  options.deadline = deadline;
  for (const auto& [task, worker] : workers_) {
    if (has_own_cluster) {
      DeviceNameUtils::ParsedName name;
      DeviceNameUtils::ParseFullName(task, &name);
      request.mutable_server_def()->set_job_name(name.job);
      request.mutable_server_def()->set_task_index(name.task);
    }
    calls->Start(worker.get(), master::WorkerMethod("CreateWorkerSession"),
                 Encode(request), options);
  }
  TF_RETURN_IF_ERROR(calls->Wait(deadline));
  // A worker ends the session when this process does not exist any more.
  DeleteWorkerSessionRequest held;
  held.set_session_handle(handle_);
  for (const auto& [task, worker] : workers_) {
    holds_.push_back(SessionHold::Start(
        worker, master::WorkerMethod(kHoldSession), Encode(held)));
  }
  return OkStatus();
}

int64_t MasterSession::graph_version() const { return graph_->version(); }

StatusOr<int64_t> MasterSession::Extend(const ExtendSessionRequest& request) {
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(closed_);
  }
  if (request.current_graph_version() != graph_->version()) {
    return errors::Aborted("Mismatched graph version: the client's is ",
                           request.current_graph_version(), ", the master's ",
                           graph_->version());
  }
  TF_RETURN_IF_ERROR(env_->limits.CheckGraph(nodes_, request.graph_def()));
  ImportOptions options;
  MapInputs(*graph_, request.graph_def(), &options.input_map);
  TF_RETURN_IF_ERROR(graph_->Import(request.graph_def(), options).status());
  nodes_ += CountNodes(request.graph_def());
  return graph_->version();
}

StatusOr<std::shared_ptr<MasterSession::Registered>> MasterSession::GetPlan(
    const RunSignature& signature, absl::Time deadline) {
  // The lists one after the other, with a name between them that no node has.
  std::vector<std::string> key = signature.feeds;
  for (const auto* names : {&signature.fetches, &signature.targets}) {
    key.push_back("");
    key.insert(key.end(), names->begin(), names->end());
  }
  std::shared_ptr<Registered> plan;
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(closed_);
    std::shared_ptr<Registered>& known = plans_[key];
    if (known == nullptr) known = std::make_shared<Registered>();
    plan = known;
  }
  absl::MutexLock lock(&plan->mu);
  if (plan->done) return plan;
  // If a step fails here, the next one that asks for the plan makes it.
  if (plan->plan == nullptr) {
    ClusterPlanOptions options;
    options.allow_soft_placement = config_.allow_soft_placement();
    options.log_device_placement = config_.log_device_placement();
    TF_ASSIGN_OR_RETURN(plan->plan,
                        MakeClusterPlan(*graph_, signature, devices_, options));
  }
  TF_RETURN_IF_ERROR(Register(plan.get(), deadline));
  plan->done = true;
  return plan;
}

Status MasterSession::Register(Registered* plan, absl::Time deadline) {
  const auto calls = std::make_shared<StepCalls>();
  CallOptions options;
  options.deadline = deadline;
  for (const ClusterPartition& part : plan->plan->partitions) {
    RegisterGraphRequest request;
    request.set_session_handle(handle_);
    request.set_create_worker_session_called(true);
    *request.mutable_graph_def() = part.graph;
    request.set_has_control_flow(plan->plan->has_control_flow);
    *request.mutable_graph_options() = config_.graph_options();
    calls->Start(workers_[part.task].get(),
                 master::WorkerMethod("RegisterGraph"), Encode(request),
                 options);
  }
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(closed_);
    active_.insert(calls);
  }
  const Status status = calls->Wait(deadline);
  {
    absl::MutexLock lock(&mu_);
    active_.erase(calls);
  }
  TF_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < plan->plan->partitions.size(); ++i) {
    RegisterGraphResponse response;
    TF_RETURN_IF_ERROR(Decode(calls->result(i).body, &response));
    plan->plan->partitions[i].handle = response.graph_handle();
    plan->plan->partitions[i].graph.Clear();
  }
  return OkStatus();
}

void MasterSession::Cleanup(const ClusterPlan& plan, int64_t step_id) {
  CleanupGraphRequest request;
  request.set_step_id(step_id);
  CallOptions options;
  options.deadline = absl::Now() + kCloseTimeout;
  for (const ClusterPartition& part : plan.partitions) {
    // Nobody waits for the answer.
    workers_[part.task]->Call(master::WorkerMethod("CleanupGraph"),
                              Encode(request), options, [](CallResult) {});
  }
}

void MasterSession::CleanupLater(const ClusterPlan& plan, int64_t step_id) {
  absl::MutexLock lock(&mu_);
  for (const ClusterPartition& part : plan.partitions) {
    finished_[part.task].push_back(step_id);
  }
}

void MasterSession::Close(const Status& status) {
  absl::flat_hash_set<std::shared_ptr<StepCalls>> active;
  {
    absl::MutexLock lock(&mu_);
    if (!closed_.ok()) return;
    closed_ = status;
    active = active_;
    partial_.clear();
    plans_.clear();
  }
  for (const auto& calls : active) calls->Fail(status);
  for (const auto& hold : holds_) hold->Stop();
  DeleteWorkerSessionRequest request;
  request.set_session_handle(handle_);
  CallOptions options;
  options.deadline = absl::Now() + kCloseTimeout;
  for (const auto& [task, worker] : workers_) {
    // A task that does not exist any more has no session to end.
    worker->Call(master::WorkerMethod("DeleteWorkerSession"), Encode(request),
                 options, [](CallResult) {});
  }
}

}  // namespace tensorwright
