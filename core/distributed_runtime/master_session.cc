// SPDX-License-Identifier: Apache-2.0
// MasterSession.
#include "core/distributed_runtime/master_session.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/protocol.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"
#include "core/protobuf/worker.pb.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace {

constexpr int kRunGraphSend = 3;
constexpr int kRunGraphRecv = 1;
// How often a session says for whom it waits.
constexpr absl::Duration kReportInterval = absl::Seconds(10);
// How long the end of a session may take at a task that does not answer.
constexpr absl::Duration kCloseTimeout = absl::Seconds(5);

std::string WorkerMethod(const char* name) {
  return absl::StrCat(kWorkerService, name);
}

// Unlikely to be another's: steps of several masters meet at a task.
int64_t RandomId() {
  static absl::Mutex mu(absl::kConstInit);
  absl::MutexLock lock(&mu);
  static std::mt19937_64* const random =
      new std::mt19937_64(std::random_device()());
  return static_cast<int64_t>((*random)() >> 8) | 1;
}

// Nodes that a client adds may take outputs of nodes that were there before.
void MapInputs(const LiveGraph& graph, const GraphDef& def,
               std::map<std::string, OutputRef>* map) {
  absl::flat_hash_set<absl::string_view> own;
  for (const NodeDef& node : def.node()) own.insert(node.name());
  for (const NodeDef& node : def.node()) {
    for (const std::string& input : node.input()) {
      const TensorId id = ParseTensorName(input);
      if (own.contains(id.node)) continue;
      Node* const known = graph.FindNode(id.node);
      // What is not there is an error of the import.
      if (known != nullptr) (*map)[id.ToString()] = OutputRef{known, id.index};
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

// Calls to several tasks, the first failure of which ends the others.
class MasterSession::StepCalls
    : public std::enable_shared_from_this<StepCalls> {
 public:
  void Start(Transport* worker, const std::string& method, absl::Cord request,
             const CallOptions& options) {
    size_t index = 0;
    {
      absl::MutexLock lock(&mu_);
      index = results_.size();
      results_.emplace_back();
      calls_.emplace_back();
      ++left_;
    }
    auto call =
        worker->Call(method, std::move(request), options,
                     [self = shared_from_this(), index](CallResult result) {
                       self->Ended(index, std::move(result));
                     });
    bool cancel = false;
    {
      absl::MutexLock lock(&mu_);
      calls_[index] = call;
      cancel = !status_.ok();
    }
    if (cancel) call->Cancel();
  }

  void Fail(const Status& status) {
    std::vector<std::shared_ptr<ClientCall>> calls;
    {
      absl::MutexLock lock(&mu_);
      if (!status_.ok()) return;
      status_ = status;
      calls = calls_;
    }
    for (const auto& call : calls) {
      if (call != nullptr) call->Cancel();
    }
  }

  // Until all have ended; the first failure.  `report`, unless null, is called
  // now and then with the indices of those that have not.
  Status Wait(
      absl::Time deadline,
      const std::function<void(const std::vector<size_t>&)>& report = nullptr) {
    const auto over = [this]()
                          ABSL_NO_THREAD_SAFETY_ANALYSIS { return left_ == 0; };
    for (;;) {
      std::vector<size_t> missing;
      {
        absl::MutexLock lock(&mu_);
        const absl::Time next =
            report ? std::min(deadline, absl::Now() + kReportInterval)
                   : deadline;
        if (mu_.AwaitWithDeadline(absl::Condition(&over), next)) break;
        for (size_t i = 0; i < results_.size(); ++i) {
          if (!ended_[i]) missing.push_back(i);
        }
      }
      if (absl::Now() >= deadline) {
        Fail(errors::DeadlineExceeded(
            "The step did not end within its timeout"));
        deadline = absl::InfiniteFuture();
      } else if (report) {
        report(missing);
      }
    }
    absl::MutexLock lock(&mu_);
    return status_;
  }

  // After Wait.
  const CallResult& result(size_t i) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return results_[i];
  }

 private:
  void Ended(size_t index, CallResult result) {
    const Status status = result.status;
    // First the failure, so that Wait sees it.
    if (!status.ok()) Fail(status);
    absl::MutexLock lock(&mu_);
    results_[index] = std::move(result);
    ended_[index] = true;
    --left_;
  }

  absl::Mutex mu_;
  size_t left_ ABSL_GUARDED_BY(mu_) = 0;
  Status status_ ABSL_GUARDED_BY(mu_);
  std::vector<std::shared_ptr<ClientCall>> calls_ ABSL_GUARDED_BY(mu_);
  std::vector<CallResult> results_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<size_t, bool> ended_ ABSL_GUARDED_BY(mu_);
};

// A plan, registered with its tasks by the first step that needs it.
struct MasterSession::Registered {
  std::unique_ptr<ClusterPlan> plan;
  absl::Mutex mu;  // Held while it is registered.
  bool done ABSL_GUARDED_BY(mu) = false;
};

struct MasterSession::Partial {
  std::shared_ptr<Registered> plan;
  int64_t step_id = 0;
  absl::Mutex mu;  // Held by the piece that runs.
  std::vector<bool> fed ABSL_GUARDED_BY(mu);
  std::vector<bool> fetched ABSL_GUARDED_BY(mu);
};

MasterSession::MasterSession(const WorkerEnv* env, std::string handle)
    : env_(env),
      handle_(std::move(handle)),
      graph_(std::make_shared<LiveGraph>()) {}

MasterSession::~MasterSession() {
  Close(errors::Cancelled("The session was closed"));
}

StatusOr<std::shared_ptr<MasterSession>> MasterSession::New(
    const WorkerEnv* env, const CreateSessionRequest& request,
    absl::Time deadline, ServerCall* call) {
  std::shared_ptr<MasterSession> session(
      new MasterSession(env, absl::StrCat(absl::Hex(RandomId()))));
  session->config_ = env->server_def.default_session_config();
  session->config_.MergeFrom(request.config());
  if (request.config().has_cluster_def()) {
    return errors::Unimplemented(
        "ConfigProto: cluster_def is not supported: give the cluster to the"
        " tf.train.Server of each task");
  }
  TF_RETURN_IF_ERROR(
      session->graph_->Import(request.graph_def(), ImportOptions()).status());
  TF_RETURN_IF_ERROR(session->FindWorkers(deadline, call));
  TF_RETURN_IF_ERROR(session->MakeWorkerSessions(deadline));
  return session;
}

Status MasterSession::FindWorkers(absl::Time deadline, ServerCall* call) {
  std::vector<std::string> tasks = {env_->task};
  for (const auto& [task, address] : env_->addresses) {
    if (task == env_->task) continue;
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
    workers_[task] = env_->WorkerOf(task);
    calls->Start(workers_[task].get(), WorkerMethod("GetStatus"),
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
    if (!calls->result(i).from_tensorwright) {
      return errors::FailedPrecondition(
          "The worker ", tasks[i], " at ", env_->addresses.at(tasks[i]),
          " does not run tensorwright: all tasks of one cluster must run the"
          " same runtime (clients may run either)");
    }
    GetStatusResponse response;
    TF_RETURN_IF_ERROR(Decode(calls->result(i).body, &response));
    for (const DeviceAttributes& attributes : response.device_attributes()) {
      TF_ASSIGN_OR_RETURN(DeviceInfo info,
                          DeviceInfo::FromAttributes(attributes));
      if (WorkerEnv::TaskOf(info.name()) != tasks[i]) {
        return errors::FailedPrecondition(
            "The address ", env_->addresses.at(tasks[i]), " of ", tasks[i],
            " is that of ", WorkerEnv::TaskOf(info.name()),
            ": the tasks were given different clusters");
      }
      owned_devices_.push_back(std::make_unique<DeviceInfo>(std::move(info)));
      devices_.Add(owned_devices_.back().get());
    }
  }
  return OkStatus();
}

Status MasterSession::MakeWorkerSessions(absl::Time deadline) {
  CreateWorkerSessionRequest request;
  request.set_session_handle(handle_);
  request.set_isolate_session_state(config_.isolate_session_state());
  request.set_master_task(env_->task);
  const auto calls = std::make_shared<StepCalls>();
  CallOptions options;
  options.deadline = deadline;
  for (const auto& [task, worker] : workers_) {
    calls->Start(worker.get(), WorkerMethod("CreateWorkerSession"),
                 Encode(request), options);
  }
  return calls->Wait(deadline);
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
  ImportOptions options;
  MapInputs(*graph_, request.graph_def(), &options.input_map);
  TF_RETURN_IF_ERROR(graph_->Import(request.graph_def(), options).status());
  return graph_->version();
}

StatusOr<std::shared_ptr<MasterSession::Registered>> MasterSession::GetPlan(
    const RunSignature& signature, absl::Time deadline) {
  // Lists one after the other, with a name between them that no node has.
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
  // A step that fails here leaves the plan to the next that asks.
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
    calls->Start(workers_[part.task].get(), WorkerMethod("RegisterGraph"),
                 Encode(request), options);
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
    // Nobody waits for it.
    workers_[part.task]->Call(WorkerMethod("CleanupGraph"), Encode(request),
                              options, [](CallResult) {});
  }
}

Status MasterSession::RunPlan(const Registered& registered, Partial* partial,
                              const std::vector<std::pair<int, Tensor>>& feeds,
                              const std::vector<int>& fetches,
                              const StepRequest& request, StepResult* result) {
  const ClusterPlan& plan = *registered.plan;
  RunGraphRequest run;
  run.set_session_handle(handle_);
  run.set_create_worker_session_called(true);
  run.set_step_id(partial == nullptr ? RandomId() : partial->step_id);
  run.set_is_partial(partial != nullptr);
  bool is_last = partial == nullptr;
  if (partial != nullptr) {
    const auto all = [](const std::vector<bool>& v) {
      return std::find(v.begin(), v.end(), false) == v.end();
    };
    [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      is_last = all(partial->fed) && all(partial->fetched);
    }();
    run.set_is_last_partial_run(is_last);
  }
  const RunOptions& options = request.options;
  run.mutable_exec_opts()->set_record_timeline(options.trace_level() !=
                                               RunOptions::NO_TRACE);
  run.mutable_exec_opts()->set_record_partition_graphs(
      options.output_partition_graphs());

  const auto calls = std::make_shared<StepCalls>();
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(closed_);
    active_.insert(calls);
  }
  if (request.on_begin) {
    request.on_begin([calls] {
      calls->Fail(errors::Cancelled("The step was cancelled by the client"));
    });
  }
  CallOptions calling;
  calling.deadline = request.deadline;
  absl::flat_hash_map<std::string, int> place_of_key;
  for (size_t i = 0; i < fetches.size(); ++i) {
    place_of_key[plan.fetch_keys[fetches[i]]] = static_cast<int>(i);
  }
  for (const ClusterPartition& part : plan.partitions) {
    run.set_graph_handle(part.handle);
    run.clear_recv_key();
    for (const int fetch : fetches) {
      if (absl::c_linear_search(part.fetches, fetch)) {
        run.add_recv_key(plan.fetch_keys[fetch]);
      }
    }
    absl::Cord bytes = Encode(run);
    for (const auto& [feed, value] : feeds) {
      if (!absl::c_linear_search(part.feeds, feed)) continue;
      AppendNamedTensor(kRunGraphSend, plan.feed_keys[feed], value, &bytes);
    }
    calls->Start(workers_[part.task].get(), WorkerMethod("RunGraph"),
                 std::move(bytes), calling);
  }
  Status status = calls->Wait(request.deadline);
  if (request.on_begin) request.on_begin(nullptr);
  {
    absl::MutexLock lock(&mu_);
    active_.erase(calls);
  }
  if (is_last || !status.ok()) Cleanup(plan, run.step_id());
  TF_RETURN_IF_ERROR(status);

  result->fetched.resize(fetches.size());
  for (size_t i = 0; i < plan.partitions.size(); ++i) {
    RunGraphResponse response;
    std::vector<NamedTensor> received;
    TF_RETURN_IF_ERROR(DecodeWithNamedTensors(
        calls->result(i).body, kRunGraphRecv, &response, &received));
    for (NamedTensor& named : received) {
      const auto it = place_of_key.find(named.name);
      if (it == place_of_key.end()) continue;
      result->fetched[it->second].value = std::move(named.value);
    }
    result->metadata.mutable_step_stats()->MergeFrom(response.step_stats());
    for (GraphDef& graph : *response.mutable_partition_graph()) {
      result->metadata.add_partition_graphs()->Swap(&graph);
    }
  }
  return OkStatus();
}

Status MasterSession::Run(StepRequest request, StepResult* result) {
  const int64_t timeout_ms = request.options.timeout_in_ms() > 0
                                 ? request.options.timeout_in_ms()
                                 : config_.operation_timeout_in_ms();
  if (timeout_ms > 0) {
    request.deadline = std::min(request.deadline,
                                absl::Now() + absl::Milliseconds(timeout_ms));
  }
  if (!request.partial_run_handle.empty()) return RunPartial(request, result);
  RunSignature signature{{}, request.fetches, request.targets};
  for (const NamedTensor& feed : request.feeds) {
    signature.feeds.push_back(feed.name);
  }
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<Registered> plan,
                      GetPlan(signature, request.deadline));
  std::vector<std::pair<int, Tensor>> feeds;
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    const Tensor& value = request.feeds[i].value;
    if (value.dtype() != plan->plan->feed_types[i]) {
      return errors::InvalidArgument("Feed ", request.feeds[i].name,
                                     ": must be ",
                                     DataTypeString(plan->plan->feed_types[i]),
                                     ", got ", DataTypeString(value.dtype()));
    }
    feeds.emplace_back(static_cast<int>(i), value);
  }
  std::vector<int> fetches(request.fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i) fetches[i] = static_cast<int>(i);
  TF_RETURN_IF_ERROR(RunPlan(*plan, nullptr, feeds, fetches, request, result));
  for (size_t i = 0; i < fetches.size(); ++i) {
    result->fetched[i].name = request.fetches[i];
  }
  return OkStatus();
}

StatusOr<std::string> MasterSession::PartialRunSetup(
    const PartialRunSetupRequest& request) {
  RunSignature signature;
  signature.feeds.assign(request.feed().begin(), request.feed().end());
  signature.fetches.assign(request.fetch().begin(), request.fetch().end());
  signature.targets.assign(request.target().begin(), request.target().end());
  const auto partial = std::make_shared<Partial>();
  TF_ASSIGN_OR_RETURN(partial->plan,
                      GetPlan(signature, absl::InfiniteFuture()));
  partial->step_id = RandomId();
  {
    absl::MutexLock lock(&partial->mu);
    partial->fed.resize(signature.feeds.size());
    partial->fetched.resize(signature.fetches.size());
  }
  std::string handle = absl::StrCat("partial_", absl::Hex(partial->step_id));
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  partial_[handle] = partial;
  return handle;
}

Status MasterSession::RunPartial(const StepRequest& request,
                                 StepResult* result) {
  std::shared_ptr<Partial> partial;
  {
    absl::MutexLock lock(&mu_);
    const auto it = partial_.find(request.partial_run_handle);
    if (it == partial_.end()) {
      return errors::InvalidArgument(
          "Must run 'setup' before performing partial runs!");
    }
    partial = it->second;
  }
  absl::MutexLock lock(&partial->mu);
  const ClusterPlan& plan = *partial->plan->plan;
  const auto place = [](const std::vector<std::string>& names,
                        const std::string& name) {
    const auto it = absl::c_find_if(names, [&](const std::string& known) {
      return known == name || known == absl::StrCat(name, ":0");
    });
    return it == names.end() ? -1 : static_cast<int>(it - names.begin());
  };
  std::vector<bool> fed = partial->fed, fetched = partial->fetched;
  std::vector<std::pair<int, Tensor>> feeds;
  for (const NamedTensor& feed : request.feeds) {
    const int i = place(plan.signature.feeds, feed.name);
    if (i < 0) {
      return errors::InvalidArgument("The feed ", feed.name,
                                     " was not set up for the partial run.");
    }
    if (fed[i]) {
      return errors::InvalidArgument("The feed ", feed.name,
                                     " has already been fed.");
    }
    if (feed.value.dtype() != plan.feed_types[i]) {
      return errors::InvalidArgument(
          "Feed ", feed.name, ": must be ", DataTypeString(plan.feed_types[i]),
          ", got ", DataTypeString(feed.value.dtype()));
    }
    fed[i] = true;
    feeds.emplace_back(i, feed.value);
  }
  std::vector<int> fetches;
  for (const std::string& name : request.fetches) {
    const int i = place(plan.signature.fetches, name);
    if (i < 0) {
      return errors::InvalidArgument("The fetch ", name,
                                     " was not set up for the partial run.");
    }
    if (fetched[i]) {
      return errors::InvalidArgument("The fetch ", name,
                                     " has already been fetched.");
    }
    for (const int feed : plan.feeds_needed[i]) {
      if (fed[feed]) continue;
      return errors::InvalidArgument(
          "Fetch ", name,
          " can't be computed from the feeds that have been fed so far: it"
          " needs ",
          plan.signature.feeds[feed]);
    }
    fetched[i] = true;
    fetches.push_back(i);
  }
  partial->fed = std::move(fed);
  partial->fetched = std::move(fetched);
  const Status status =
      RunPlan(*partial->plan, partial.get(), feeds, fetches, request, result);
  const auto all = [](const std::vector<bool>& v) {
    return std::find(v.begin(), v.end(), false) == v.end();
  };
  if (!status.ok() || (all(partial->fed) && all(partial->fetched))) {
    absl::MutexLock own(&mu_);
    partial_.erase(request.partial_run_handle);
  }
  TF_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < fetches.size(); ++i) {
    result->fetched[i].name = request.fetches[i];
  }
  return OkStatus();
}

StatusOr<int64_t> MasterSession::MakeCallable(const CallableOptions& options) {
  if (options.tensor_connection_size() > 0) {
    return errors::Unimplemented(
        "CallableOptions: tensor_connection is not supported");
  }
  RunSignature signature;
  signature.feeds.assign(options.feed().begin(), options.feed().end());
  signature.fetches.assign(options.fetch().begin(), options.fetch().end());
  signature.targets.assign(options.target().begin(), options.target().end());
  TF_RETURN_IF_ERROR(GetPlan(signature, absl::InfiniteFuture()).status());
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  const int64_t handle = next_callable_++;
  callables_[handle] = options;
  return handle;
}

Status MasterSession::RunCallable(int64_t handle, std::vector<Tensor> feeds,
                                  StepRequest request, StepResult* result) {
  {
    absl::MutexLock lock(&mu_);
    const auto it = callables_.find(handle);
    if (it == callables_.end()) {
      return errors::InvalidArgument("There is no callable ", handle);
    }
    const CallableOptions& options = it->second;
    if (static_cast<int>(feeds.size()) != options.feed_size()) {
      return errors::InvalidArgument("Expected ", options.feed_size(),
                                     " feed tensors, but got ", feeds.size());
    }
    for (size_t i = 0; i < feeds.size(); ++i) {
      request.feeds.push_back(
          {options.feed(static_cast<int>(i)), std::move(feeds[i])});
    }
    request.fetches.assign(options.fetch().begin(), options.fetch().end());
    request.targets.assign(options.target().begin(), options.target().end());
    request.options = options.run_options();
  }
  return Run(std::move(request), result);
}

Status MasterSession::ReleaseCallable(int64_t handle) {
  absl::MutexLock lock(&mu_);
  if (callables_.erase(handle) > 0) return OkStatus();
  return errors::InvalidArgument("There is no callable ", handle);
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
  DeleteWorkerSessionRequest request;
  request.set_session_handle(handle_);
  CallOptions options;
  options.deadline = absl::Now() + kCloseTimeout;
  for (const auto& [task, worker] : workers_) {
    // A task that is not there any more has no session to end.
    worker->Call(WorkerMethod("DeleteWorkerSession"), Encode(request), options,
                 [](CallResult) {});
  }
}

}  // namespace tensorwright
