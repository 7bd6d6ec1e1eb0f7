// SPDX-License-Identifier: Apache-2.0
// DirectSession.
#include "core/common_runtime/direct_session.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/outside_optimizers.h"
#include "core/common_runtime/partial_run.h"
#include "core/common_runtime/rewrite_graph.h"
#include "core/common_runtime/run_state.h"
#include "core/common_runtime/session_policy.h"
#include "core/common_runtime/step_stats_collector.h"
#include "core/framework/allocator_reuse.h"
#include "core/framework/device_attributes.pb.h"
#include "core/framework/step_stats.pb.h"
#include "core/graph/tensor_id.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/config.pb.h"
#include "core/util/session_state.h"

namespace tensorwright {
namespace {

constexpr char kClosed[] = "The run was cancelled: its session was closed";

Status CheckFeed(const FeedSpec& spec, const Tensor& value) {
  if (value.dtype() != spec.dtype) {
    return errors::InvalidArgument("Feed ", spec.name, ": must have type ",
                                   DataTypeString(spec.dtype), ", got ",
                                   DataTypeString(value.dtype()));
  }
  if (!spec.shape.unknown_rank() &&
      !spec.shape.IsCompatibleWith(value.shape())) {
    return errors::InvalidArgument("Feed ", spec.name, ": must have shape ",
                                   spec.shape.DebugString(), ", got shape ",
                                   value.shape().DebugString());
  }
  if (!value.IsInitialized()) {
    return errors::InvalidArgument("Feed ", spec.name, ": has no value");
  }
  return OkStatus();
}

Status CheckFeeds(const Plan& plan, absl::Span<const Tensor> feeds) {
  if (feeds.size() != plan.feeds().size()) {
    return errors::InvalidArgument("Session: the plan needs ",
                                   plan.feeds().size(), " feeds, got ",
                                   feeds.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckFeed(plan.feeds()[i], feeds[i]));
  }
  return OkStatus();
}

// The time in so many milliseconds from now; with 0 it never comes.
absl::Time DeadlineOf(int64_t timeout_ms) {
  return timeout_ms > 0 ? absl::Now() + absl::Milliseconds(timeout_ms)
                        : absl::InfiniteFuture();
}

// Tells the compiler of a plan when the run that needs the plan is to end.
// Refers to `hooks`.
std::function<Status()> StillWanted(const RunHooks& hooks,
                                    absl::Time deadline) {
  return [&hooks, deadline, next = absl::Now()]() mutable {
    const absl::Time now = absl::Now();
    if (now < next) return OkStatus();
    next = now + Step::kPollInterval;
    if (now >= deadline) {
      return errors::DeadlineExceeded(
          "Timed out waiting for the run to end: its graph was being"
          " compiled, and constants folded");
    }
    if (hooks.interrupted && hooks.interrupted()) {
      return errors::Cancelled("The run was interrupted");
    }
    return OkStatus();
  };
}

// Replaces handles of tensors that the session keeps by those tensors.
// `resolved` holds the feeds if any was replaced.
Status ResolveHandles(const SessionState& state,
                      absl::Span<const Tensor>* feeds,
                      std::vector<Tensor>* resolved) {
  for (size_t i = 0; i < feeds->size(); ++i) {
    const Tensor& fed = (*feeds)[i];
    if (fed.dtype() != DT_RESOURCE || fed.NumElements() != 1) continue;
    const ResourceHandle& handle = *fed.base<ResourceHandle>();
    if (handle.container() != SessionState::kTensorHandleResourceTypeName) {
      continue;
    }
    if (resolved->empty()) resolved->assign(feeds->begin(), feeds->end());
    TF_RETURN_IF_ERROR(state.GetTensor(handle.name(), &(*resolved)[i]));
  }
  if (!resolved->empty()) *feeds = *resolved;
  return OkStatus();
}

class DirectSessionFactory final : public SessionFactory {
 public:
  StatusOr<std::unique_ptr<Session>> NewSession(
      const std::string& /*target*/, const ConfigProto& config,
      std::shared_ptr<LiveGraph> graph) override {
    TF_ASSIGN_OR_RETURN(std::unique_ptr<DirectSession> session,
                        DirectSession::New(std::move(graph), config));
    return std::unique_ptr<Session>(std::move(session));
  }

  // Direct sessions share nothing that could be reset.
  Status Reset(const std::string& /*target*/, const ConfigProto& /*config*/,
               absl::Span<const std::string> /*containers*/) override {
    return OkStatus();
  }
};
const RegisterSessionFactory<DirectSessionFactory> kRegistered("");

}  // namespace

struct DirectSession::Impl {
  // Until the session is closed, the next run may want the memory that this one
  // frees.
  std::optional<FreedMemoryReuse> reuse{std::in_place};
  std::shared_ptr<SessionResources> resources;
  const core::RefCountPtr<SessionState> kept{new SessionState};
  PlanOptions plan_options;
  int64_t default_timeout_ms = 0;
  // Counted if there is a policy.
  std::atomic<int64_t> steps{0};

  const SessionPolicy* policy() const { return resources->policy.get(); }

  // Counts a run; an error if there may be no more.
  Status CountStep() {
    if (policy() == nullptr) return OkStatus();
    const int64_t before = steps.fetch_add(1, std::memory_order_relaxed);
    const Status status = policy()->CheckSteps(before);
    if (!status.ok()) steps.fetch_sub(1, std::memory_order_relaxed);
    return status;
  }

  absl::Mutex mu;
  bool closed ABSL_GUARDED_BY(mu) = false;
  // The version of the graph that the policy was last asked about as a whole.
  int64_t checked_version ABSL_GUARDED_BY(mu) = -1;
  absl::flat_hash_map<NodeSignature, std::shared_ptr<const Plan>> plans
      ABSL_GUARDED_BY(mu);
  int64_t plans_version ABSL_GUARDED_BY(mu) = 0;
  // The partial runs that are not over, by handle.
  absl::flat_hash_map<int64_t, std::shared_ptr<PartialRun>> partial_runs
      ABSL_GUARDED_BY(mu);
  // The nodes whose outputs their fetches are.
  absl::flat_hash_map<int64_t, std::vector<std::string>> fetched_nodes
      ABSL_GUARDED_BY(mu);
  // Steps in progress; few, so a list is searched quickly.
  std::vector<Step*> active ABSL_GUARDED_BY(mu);

  // Begins the step where Close sees it; Cancelled if Close came first.
  template <typename Begin>
  Status Enter(Step* step, const Begin& begin) {
    absl::MutexLock lock(&mu);
    if (closed) return errors::Cancelled("The session has been closed");
    begin();
    active.push_back(step);
    return OkStatus();
  }
  void Leave(Step* step) {
    absl::MutexLock lock(&mu);
    auto it = std::find(active.begin(), active.end(), step);
    *it = active.back();
    active.pop_back();
  }
};

DirectSession::DirectSession(std::shared_ptr<LiveGraph> graph,
                             std::unique_ptr<Impl> impl)
    : Session(std::move(graph)), impl_(std::move(impl)) {}

DirectSession::~DirectSession() { Close().IgnoreError(); }

StatusOr<std::unique_ptr<DirectSession>> DirectSession::New(
    std::shared_ptr<LiveGraph> graph, const ConfigProto& config) {
  // Debian builds abseil with deadlock detection, which makes an uncontended
  // lock take 80 ns instead of 15 and guards against bugs, not input.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  auto impl = std::make_unique<Impl>();
  TF_ASSIGN_OR_RETURN(impl->resources,
                      SessionResources::New(config, graph->functions()));
  for (Device* device : impl->resources->devices->devices()) {
    TF_RETURN_IF_ERROR(impl->kept->Install(device->resource_manager()));
  }
  impl->plan_options = PlanOptions::FromConfig(config);
  if (WantsOutsideOptimizers(config)) {
    impl->plan_options.outside = std::make_shared<ConfigProto>(config);
  }
  impl->default_timeout_ms = config.operation_timeout_in_ms();
  return std::unique_ptr<DirectSession>(
      new DirectSession(std::move(graph), std::move(impl)));
}

StatusOr<std::shared_ptr<const Plan>> DirectSession::GetPlan(
    const NodeSignature& signature, const RunHooks& hooks) {
  const int64_t version = graph()->mutation_version();
  {
    absl::MutexLock lock(&impl_->mu);
    if (impl_->closed) {
      return errors::Cancelled("The session has been closed");
    }
    if (impl_->plans_version != version) {
      // None of them can be used any more.
      impl_->plans.clear();
      impl_->plans_version = version;
    }
    auto it = impl_->plans.find(signature);
    if (it != impl_->plans.end()) {
      if (it->second->HasCurrentKernels()) return it->second;
      impl_->plans.erase(it);
    }
  }
  PlanOptions options = impl_->plan_options;
  const SessionPolicy* const policy = impl_->policy();
  const absl::Time limit =
      policy == nullptr ? absl::InfiniteFuture() : policy->Deadline();
  options.passes.still_wanted = StillWanted(
      hooks,
      std::min({hooks.deadline, limit, DeadlineOf(impl_->default_timeout_ms)}));
  // Two threads may compile the same plan; the first to finish is kept.
  auto made = CompilePlan(*graph(), signature, impl_->resources, options);
  if (!made.ok()) {
    return policy == nullptr ? made.status()
                             : policy->WithTimeLimit(made.status(), limit);
  }
  std::shared_ptr<const Plan> plan = *std::move(made);
  absl::MutexLock lock(&impl_->mu);
  if (plan->mutation_version() != impl_->plans_version) return plan;
  return impl_->plans.try_emplace(signature, std::move(plan)).first->second;
}

Status DirectSession::Resolve(const RunSignature& signature,
                              NodeSignature* nodes) const {
  const auto find = [this](const char* role, const std::string& name,
                           absl::string_view node, Node** found) {
    *found = graph()->FindNode(node);
    if (*found != nullptr) return OkStatus();
    return errors::NotFound("Session: the ", role, " '", name,
                            "' is not in the graph");
  };
  const auto tensors = [&find](const char* role,
                               const std::vector<std::string>& names,
                               std::vector<OutputRef>* refs) -> Status {
    for (const std::string& name : names) {
      const TensorId id = ParseTensorName(name);
      OutputRef& ref = refs->emplace_back();
      TF_RETURN_IF_ERROR(find(role, name, id.node(), &ref.node));
      ref.index = id.index();
      if (id.IsControl() || id.index() >= ref.node->num_outputs()) {
        return errors::NotFound("Session: the ", role, " '", name,
                                "' is no output of ", ref.node->DebugString());
      }
    }
    return OkStatus();
  };
  TF_RETURN_IF_ERROR(tensors("feed", signature.feeds, &nodes->feeds));
  TF_RETURN_IF_ERROR(tensors("fetch", signature.fetches, &nodes->fetches));
  for (const std::string& name : signature.targets) {
    TF_RETURN_IF_ERROR(
        find("target", name, name, &nodes->targets.emplace_back()));
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<const Callable>> DirectSession::MakeCallable(
    const RunSignature& signature, const RunHooks& hooks) {
  NodeSignature nodes;
  TF_RETURN_IF_ERROR(Resolve(signature, &nodes));
  TF_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, GetPlan(nodes, hooks));
  return std::shared_ptr<const Callable>(std::move(plan));
}

bool DirectSession::IsCurrent(const Callable& callable) const {
  const Plan& plan = static_cast<const Plan&>(callable);
  return plan.mutation_version() == graph()->mutation_version() &&
         plan.HasCurrentKernels();
}

Status DirectSession::RunCallable(const Callable& callable,
                                  const RunOptions* options,
                                  absl::Span<const Tensor> feeds,
                                  std::vector<Tensor>* fetches,
                                  RunMetadata* metadata,
                                  const RunHooks& hooks) {
  const Plan& plan = static_cast<const Plan&>(callable);
  std::vector<Tensor> resolved;
  TF_RETURN_IF_ERROR(ResolveHandles(*impl_->kept, &feeds, &resolved));
  TF_RETURN_IF_ERROR(CheckFeeds(plan, feeds));
  const SessionPolicy* const policy = impl_->policy();
  absl::Time limit = absl::InfiniteFuture();
  // Kernels run in this thread, too.
  std::optional<TensorAllocatorScope> allocating;
  if (policy != nullptr) [[unlikely]] {
    TF_RETURN_IF_ERROR(CheckNow(*policy));
    TF_RETURN_IF_ERROR(impl_->CountStep());
    limit = policy->Deadline();
    if (policy->LimitsMemory()) {
      Device* const client = impl_->resources->devices->client_device();
      allocating.emplace(client->GetAllocator(AllocatorAttributes()));
    }
  }
  fetches->clear();
  fetches->resize(plan.num_fetches());
  std::unique_ptr<RunState> state = plan.AcquireRunState();
  std::unique_ptr<StepStatsCollector> stats;
  int64_t timeout_ms = impl_->default_timeout_ms;
  if (options != nullptr) {
    if (options->timeout_in_ms() > 0) timeout_ms = options->timeout_in_ms();
    if (options->trace_level() != RunOptions::NO_TRACE && metadata != nullptr) {
      stats = std::make_unique<StepStatsCollector>();
    }
  }
  Step* const step = state->step.get();
  Status status = impl_->Enter(step, [&] {
    StepArgs args;
    args.id = NewStepId();
    args.interrupted = hooks.interrupted ? &hooks.interrupted : nullptr;
    args.deadline = std::min({hooks.deadline, limit, DeadlineOf(timeout_ms)});
    args.stats = stats.get();
    plan.BeginStep(state.get(), args);
  });
  if (!status.ok()) return status;
  status = plan.Execute(state.get(), feeds, fetches);
  if (impl_->kept->has_pending() && status.ok()) [[unlikely]] {
    std::vector<std::string> nodes;
    for (const OutputRef& fetch : plan.signature().fetches) {
      nodes.push_back(fetch.node->name());
    }
    impl_->kept->Keep(step->id(), nodes);
  }
  impl_->Leave(step);
  // A run state that failed may hold anything; it is not used again.
  if (step->End()) plan.ReleaseRunState(std::move(state));
  if (!status.ok()) fetches->clear();
  if (policy != nullptr) status = policy->WithTimeLimit(status, limit);
  if (stats != nullptr) stats->Finish(metadata->mutable_step_stats());
  if (options != nullptr && options->output_partition_graphs() &&
      metadata != nullptr) {
    for (const auto& partition : plan.partitions()) {
      partition->graph().ToGraphDef(metadata->add_partition_graphs());
    }
    // Compiled anew: this is asked for in one run, not in many.
    const auto before = PlanAfter(plan, 0);
    if (!before.ok()) return status;
    for (const auto& partition : (*before)->partitions()) {
      auto* graphs = metadata->add_function_graphs();
      partition->graph().ToGraphDef(graphs->mutable_pre_optimization_graph());
    }
  }
  return status;
}

StatusOr<int64_t> DirectSession::PartialRunSetup(const RunSignature& signature,
                                                 std::vector<FeedSpec>* feeds) {
  NodeSignature nodes;
  TF_RETURN_IF_ERROR(Resolve(signature, &nodes));
  PlanOptions options = impl_->plan_options;
  options.in_pieces = true;
  TF_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                      CompilePlan(*graph(), nodes, impl_->resources, options));
  *feeds = plan->feeds();
  TF_RETURN_IF_ERROR(impl_->CountStep());
  const int64_t id = NewStepId();
  auto run = std::make_shared<PartialRun>(
      std::move(plan), id, impl_->resources->devices->client_device());
  {
    absl::MutexLock lock(&impl_->mu);
    if (impl_->closed) {
      return errors::Cancelled("The session has been closed");
    }
    impl_->partial_runs[id] = run;
    for (const OutputRef& fetch : nodes.fetches) {
      impl_->fetched_nodes[id].push_back(fetch.node->name());
    }
  }
  run->Start();
  return id;
}

Status DirectSession::RunPiece(int64_t handle, absl::Span<const int> feeds,
                               absl::Span<const Tensor> values,
                               absl::Span<const int> fetches,
                               std::vector<Tensor>* fetched,
                               const RunHooks& hooks) {
  std::shared_ptr<PartialRun> run;
  std::vector<std::string> nodes;
  {
    absl::MutexLock lock(&impl_->mu);
    const auto it = impl_->partial_runs.find(handle);
    if (it == impl_->partial_runs.end()) {
      return errors::InvalidArgument(
          "Must run 'setup' before performing partial runs!");
    }
    run = it->second;
    const std::vector<std::string>& names = impl_->fetched_nodes[handle];
    for (const int fetch : fetches) nodes.push_back(names[fetch]);
  }
  std::vector<Tensor> resolved;
  TF_RETURN_IF_ERROR(ResolveHandles(*impl_->kept, &values, &resolved));
  for (size_t i = 0; i < feeds.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckFeed(run->plan().feeds()[feeds[i]], values[i]));
  }
  // The step may be over with its last piece.
  impl_->kept->Keep(handle, nodes);
  const auto go_on = [&](const std::function<bool()>& interrupted) {
    return run->RunPiece(feeds, values, fetches, fetched, interrupted);
  };
  const SessionPolicy* const policy = impl_->policy();
  const Status status = policy == nullptr
                            ? go_on(hooks.interrupted)
                            : policy->RunLimited(hooks.interrupted, go_on);
  if (run->is_over()) {
    absl::MutexLock lock(&impl_->mu);
    impl_->partial_runs.erase(handle);
    impl_->fetched_nodes.erase(handle);
    impl_->kept->Drop(handle);
  }
  return status;
}

StatusOr<std::shared_ptr<const Plan>> DirectSession::PlanAfter(
    const Plan& plan, size_t passes) const {
  PlanOptions options = impl_->plan_options;
  options.log_device_placement = false;
  const std::vector<std::string> names = GraphPassNames();
  for (size_t i = passes; i < names.size(); ++i) {
    options.passes.Set(names[i], false);
  }
  options.outside.reset();
  const RewrittenGraph* made = plan.rewritten();
  if (passes > 0 && made != nullptr) {
    return CompilePlan(*made->graph, made->signature, impl_->resources,
                       options);
  }
  return CompilePlan(*graph(), plan.signature(), impl_->resources, options);
}

Status DirectSession::CheckNow(const SessionPolicy& policy) const {
  if (!policy.proto().whole_graph()) return OkStatus();
  const int64_t version = graph()->version();
  {
    absl::MutexLock lock(&impl_->mu);
    if (impl_->checked_version == version) return OkStatus();
  }
  {
    absl::MutexLock lock(&graph()->mu());
    TF_RETURN_IF_ERROR(
        policy.CheckWhole(graph()->graph(), *graph()->functions()));
  }
  absl::MutexLock lock(&impl_->mu);
  impl_->checked_version = version;
  return OkStatus();
}

Status DirectSession::CheckImport(const GraphDef& def) const {
  const SessionPolicy* const policy = impl_->policy();
  return policy == nullptr ? OkStatus()
                           : policy->CheckGraphDef(def, *graph()->functions());
}

Status DirectSession::ListDevices(
    std::vector<DeviceAttributes>* devices) const {
  for (const DeviceInfo* info : impl_->resources->placeable.devices()) {
    devices->push_back(info->attributes());
  }
  return OkStatus();
}

Status DirectSession::Reset(absl::Span<const std::string> containers) {
  for (Device* device : impl_->resources->devices->devices()) {
    ResourceMgr* manager = device->resource_manager();
    if (containers.empty()) {
      TF_RETURN_IF_ERROR(manager->Cleanup(manager->default_container()));
    }
    for (const std::string& container : containers) {
      TF_RETURN_IF_ERROR(manager->Cleanup(container));
    }
  }
  return OkStatus();
}

Status DirectSession::Close() {
  std::vector<std::shared_ptr<Step>> running;
  absl::flat_hash_map<int64_t, std::shared_ptr<PartialRun>> partial_runs;
  {
    absl::MutexLock lock(&impl_->mu);
    impl_->closed = true;  // No step begins from here on.
    impl_->plans.clear();
    partial_runs.swap(impl_->partial_runs);
    for (Step* step : impl_->active)
      running.push_back(step->shared_from_this());
  }
  for (const auto& step : running) {
    step->Fail(errors::Cancelled(kClosed));
  }
  for (const auto& [handle, run] : partial_runs) {
    run->Cancel(errors::Cancelled(kClosed));
  }
  absl::MutexLock lock(&impl_->mu);
  const auto idle = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return impl_->active.empty();
  };
  impl_->mu.Await(absl::Condition(&idle));
  impl_->reuse.reset();
  return OkStatus();
}

}  // namespace tensorwright
