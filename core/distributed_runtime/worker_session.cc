// SPDX-License-Identifier: Apache-2.0
// WorkerSession.
#include "core/distributed_runtime/worker_session.h"

#include <atomic>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/step_stats_collector.h"
#include "core/framework/op.h"
#include "core/graph/graph_constructor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

struct WorkerSession::RegisteredGraph {
  std::shared_ptr<const Plan> plan;
};

// A partial run.  A thread of the pool, which holds this, runs its step.
struct WorkerSession::PartialStep {
  std::shared_ptr<RegisteredGraph> graph;
  core::RefCountPtr<StepRendezvous> rendezvous;
  std::unique_ptr<RunState> state;
  Status status;  // Set after `over`.
  absl::Notification over;
};

FunctionDomain::FunctionDomain(const WorkerEnv* env,
                               std::shared_ptr<DeviceMgr> devices)
    : library(
          std::make_shared<FunctionLibraryDefinition>(OpRegistry::Global())),
      resources(SessionResources::OnDevices(
          env->threads, std::move(devices),
          env->server_def.default_session_config(), library)) {}

StatusOr<std::shared_ptr<WorkerSession>> WorkerSession::New(
    const WorkerEnv* env, StepRendezvousTable* steps,
    std::shared_ptr<const ClusterView> cluster,
    std::shared_ptr<FunctionDomain> domain, NewDomain new_domain) {
  std::shared_ptr<WorkerSession> session(
      new WorkerSession(env, steps, std::move(cluster)));
  const ConfigProto& config = env->server_def.default_session_config();
  if (domain == nullptr) {
    std::vector<std::unique_ptr<Device>> own;
    TF_RETURN_IF_ERROR(DeviceFactory::AddDevices(
        config, session->cluster_->task(), env->threads.get(), &own));
    domain = std::make_shared<FunctionDomain>(
        env, std::make_shared<DeviceMgr>(std::move(own)));
    new_domain = nullptr;
  }
  session->resources_ = SessionResources::OnDevices(
      env->threads, domain->resources->devices, config, nullptr);
  session->resources_->kernels.set_functions(
      domain->resources->functions.get());
  session->new_domain_ = std::move(new_domain);
  absl::MutexLock lock(&session->domain_mu_);
  session->domain_ = std::move(domain);
  return session;
}

StatusOr<std::shared_ptr<FunctionLibraryDefinition>>
WorkerSession::AddFunctions(const FunctionDefLibrary& functions) {
  absl::MutexLock lock(&domain_mu_);
  Status added = domain_->library->AddLibrary(functions);
  if (!added.ok() && !has_graphs_ && new_domain_) {
    domain_ = new_domain_();
    resources_->kernels.set_functions(domain_->resources->functions.get());
    added = domain_->library->AddLibrary(functions);
  }
  TF_RETURN_IF_ERROR(added);
  has_graphs_ = true;
  return domain_->library;
}

WorkerSession::~WorkerSession() {
  Cancel(errors::Cancelled("The session was closed"));
  {
    absl::MutexLock lock(&mu_);
    const auto idle = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return active_.empty();
    };
    mu_.Await(absl::Condition(&idle));
  }
  steps_->CleanupSession(this);
}

StatusOr<std::string> WorkerSession::RegisterGraph(
    const RegisterGraphRequest& request) {
  const GraphDef& def = request.graph_def();
  TF_RETURN_IF_ERROR(env_->limits.CheckGraph(0, def));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<FunctionLibraryDefinition> library,
                      AddFunctions(def.library()));
  auto graph = std::make_unique<Graph>(library.get());
  GraphConstructorOptions constructing;
  constructing.allow_internal_ops = true;
  TF_RETURN_IF_ERROR(
      ConvertGraphDefToGraph(constructing, def, graph.get(), nullptr));
  for (Node* node : graph->op_nodes()) {
    node->set_assigned_device_name(node->requested_device());
  }
  PlanOptions options;
  options.passes = GraphPassOptions::FromConfig(request.graph_options());
  options.may_be_dead = request.has_control_flow();
  auto registered = std::make_shared<RegisteredGraph>();
  TF_ASSIGN_OR_RETURN(registered->plan,
                      CompileGraph(std::move(graph), resources_,
                                   &resources_->kernels, options));
  // A partition's _Recv and _Send nodes feed and fetch it.
  const Plan& plan = *registered->plan;
  if (!plan.feeds().empty() || plan.num_fetches() > 0) {
    return errors::InvalidArgument(
        "RegisterGraph: a partition must have no _Arg and _Retval nodes, got ",
        plan.feeds().size(), " and ", plan.num_fetches());
  }
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  std::string handle = absl::StrCat("graph_", next_graph_++);
  graphs_[handle] = std::move(registered);
  return handle;
}

Status WorkerSession::DeregisterGraph(const std::string& handle) {
  std::shared_ptr<RegisteredGraph> gone;
  absl::MutexLock lock(&mu_);
  const auto it = graphs_.find(handle);
  if (it == graphs_.end()) {
    return errors::Aborted("There is no graph '", handle, "' at ", env_->task);
  }
  gone = std::move(it->second);
  graphs_.erase(it);
  return OkStatus();
}

StatusOr<std::shared_ptr<WorkerSession::RegisteredGraph>> WorkerSession::Find(
    const std::string& handle) {
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  const auto it = graphs_.find(handle);
  if (it != graphs_.end()) return it->second;
  return errors::Aborted("There is no graph '", handle, "' at ", env_->task,
                         ": perhaps the task has restarted");
}

Status WorkerSession::Enter(const std::shared_ptr<Step>& step) {
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  active_.insert(step);
  return OkStatus();
}

void WorkerSession::Leave(const std::shared_ptr<Step>& step) {
  absl::MutexLock lock(&mu_);
  active_.erase(step);
}

void WorkerSession::Cancel(const Status& status) {
  std::vector<std::shared_ptr<Step>> active;
  {
    absl::MutexLock lock(&mu_);
    closed_.Update(status);
    active.assign(active_.begin(), active_.end());
    partial_.clear();
  }
  for (const auto& step : active) step->Fail(status);
}

void WorkerSession::ForgetPartial(int64_t step_id) {
  std::shared_ptr<PartialStep> gone;
  {
    absl::MutexLock lock(&mu_);
    const auto it = partial_.find(step_id);
    if (it == partial_.end()) return;
    gone = std::move(it->second);
    partial_.erase(it);
  }
  // If the run is over, this changes nothing.
  gone->state->step->Fail(errors::Cancelled("The partial run was given up"));
}

Status WorkerSession::SendAll(const GraphRun& run, StepRendezvous* rendezvous) {
  for (const NamedTensor& feed : run.send) {
    Rendezvous::ParsedKey key;
    TF_RETURN_IF_ERROR(Rendezvous::ParseKey(feed.name, &key));
    TF_RETURN_IF_ERROR(
        rendezvous->Send(key, Rendezvous::Args(), feed.value, false));
  }
  return OkStatus();
}

Status WorkerSession::ReceiveAll(const GraphRun& run,
                                 StepRendezvous* rendezvous,
                                 GraphRunResult* result) {
  struct Waiting {
    absl::Mutex mu;
    size_t left ABSL_GUARDED_BY(mu) = 0;
    Status status ABSL_GUARDED_BY(mu);
    std::vector<NamedTensor> values;  // Each is written by one callback.
  };
  const auto waiting = std::make_shared<Waiting>();
  waiting->values.resize(run.recv_key.size());
  std::vector<Rendezvous::ParsedKey> keys(run.recv_key.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    TF_RETURN_IF_ERROR(Rendezvous::ParseKey(run.recv_key[i], &keys[i]));
  }
  {
    absl::MutexLock lock(&waiting->mu);
    waiting->left = keys.size();
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    rendezvous->RecvLocalAsync(
        keys[i], [waiting, i](const Status& status, const Rendezvous::Args&,
                              const Rendezvous::Args&, const Tensor& value,
                              bool is_dead) {
          waiting->values[i].value = value;
          absl::MutexLock lock(&waiting->mu);
          waiting->status.Update(status);
          if (status.ok() && is_dead) {
            waiting->status.Update(errors::InvalidArgument(
                "A fetched tensor has no value: it is on a branch that was not"
                " taken"));
          }
          --waiting->left;
        });
  }
  absl::MutexLock lock(&waiting->mu);
  Waiting* const w = waiting.get();
  const auto ended = [w]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return w->left == 0;
  };
  waiting->mu.Await(absl::Condition(&ended));
  TF_RETURN_IF_ERROR(waiting->status);
  result->recv = std::move(waiting->values);
  for (size_t i = 0; i < keys.size(); ++i) {
    result->recv[i].name = run.recv_key[i];
  }
  return OkStatus();
}

Status WorkerSession::Run(
    const GraphRun& run,
    const std::function<void(std::function<void()>)>& on_begin,
    GraphRunResult* result) {
  TF_ASSIGN_OR_RETURN(std::shared_ptr<RegisteredGraph> graph,
                      Find(run.graph_handle));
  TF_ASSIGN_OR_RETURN(core::RefCountPtr<StepRendezvous> rendezvous,
                      steps_->Begin(run.step_id, this));
  if (cluster_ != env_->cluster) rendezvous->SetCluster(cluster_);
  if (run.record_graphs) {
    for (const auto& partition : graph->plan->partitions()) {
      partition->graph().ToGraphDef(&result->graphs.emplace_back());
    }
  }
  if (run.is_partial) {
    return RunPiece(std::move(graph), run, std::move(rendezvous), on_begin,
                    result);
  }
  return RunWhole(*graph, run, rendezvous.get(), on_begin, result);
}

Status WorkerSession::RunWhole(
    const RegisteredGraph& graph, const GraphRun& run,
    StepRendezvous* rendezvous,
    const std::function<void(std::function<void()>)>& on_begin,
    GraphRunResult* result) {
  std::unique_ptr<RunState> state = graph.plan->AcquireRunState();
  const std::shared_ptr<Step> step = state->step;
  std::unique_ptr<StepStatsCollector> stats;
  if (run.record_timeline) stats = std::make_unique<StepStatsCollector>();
  StepArgs args;
  args.id = run.step_id;
  args.deadline = run.deadline;
  args.stats = stats.get();
  args.rendezvous = rendezvous;
  TF_RETURN_IF_ERROR(Enter(step));
  graph.plan->BeginStep(state.get(), args);
  on_begin([step] { step->Fail(errors::Cancelled("The step was cancelled")); });
  const Status sent = SendAll(run, rendezvous);
  if (!sent.ok()) step->Fail(sent);
  std::vector<Tensor> none;
  Status status = graph.plan->Execute(state.get(), {}, &none);
  on_begin(nullptr);
  Leave(step);
  // All fetched tensors have been sent.
  if (status.ok()) status = ReceiveAll(run, rendezvous, result);
  if (!status.ok()) rendezvous->StartAbort(status);
  if (step->End()) graph.plan->ReleaseRunState(std::move(state));
  if (stats != nullptr) stats->Finish(&result->step_stats);
  return status;
}

Status WorkerSession::RunPiece(
    std::shared_ptr<RegisteredGraph> graph, const GraphRun& run,
    core::RefCountPtr<StepRendezvous> rendezvous,
    const std::function<void(std::function<void()>)>& on_begin,
    GraphRunResult* result) {
  std::shared_ptr<PartialStep> partial;
  bool is_new = false;
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(closed_);
    std::shared_ptr<PartialStep>& known = partial_[run.step_id];
    is_new = known == nullptr;
    if (is_new) {
      known = std::make_shared<PartialStep>();
      known->graph = graph;
      known->rendezvous = rendezvous;
      known->state = graph->plan->AcquireRunState();
      active_.insert(known->state->step);
    }
    partial = known;
  }
  const std::shared_ptr<Step> step = partial->state->step;
  if (is_new) {
    env_->pool->Schedule([this, partial, step, id = run.step_id] {
      StepArgs args;
      args.id = id;
      args.rendezvous = partial->rendezvous.get();
      partial->graph->plan->BeginStep(partial->state.get(), args);
      std::vector<Tensor> none;
      partial->status =
          partial->graph->plan->Execute(partial->state.get(), {}, &none);
      if (!partial->status.ok()) {
        partial->rendezvous->StartAbort(partial->status);
      }
      step->End();
      partial->over.Notify();
      Leave(step);
    });
  }
  on_begin([step, rendezvous] {
    const Status cancelled = errors::Cancelled("The step was cancelled");
    step->Fail(cancelled);
    rendezvous->StartAbort(cancelled);
  });
  const auto forget = absl::MakeCleanup([&] { on_begin(nullptr); });
  TF_RETURN_IF_ERROR(SendAll(run, rendezvous.get()));
  Status status = ReceiveAll(run, rendezvous.get(), result);
  if (!status.ok() || run.is_last) {
    if (!status.ok()) step->Fail(status);
    partial->over.WaitForNotification();
    // The step's own failure is the reason why a fetch did not come.
    if (!partial->status.ok()) status = partial->status;
    absl::MutexLock lock(&mu_);
    partial_.erase(run.step_id);
  }
  return status;
}

}  // namespace tensorwright
