// SPDX-License-Identifier: Apache-2.0
// Plan and its compiler.
#include "core/common_runtime/plan.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/memory_copies.h"
#include "core/common_runtime/optimize_graph.h"
#include "core/common_runtime/partial_run.h"
#include "core/common_runtime/placer.h"
#include "core/common_runtime/rewrite_graph.h"
#include "core/common_runtime/run_state.h"
#include "core/common_runtime/session_policy.h"
#include "core/common_runtime/static_executor.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/graph/graph_partition.h"
#include "core/graph/live_graph.h"
#include "core/graph/reads_before_writes.h"
#include "core/graph/subgraph.h"
#include "core/graph/validate.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The number of idle run states that a plan keeps; more concurrent runs make
// their own.
constexpr size_t kMaxFreeRunStates = 16;
// A run state asks once in so many runs which executor is right.
constexpr int64_t kRunsPerModeCheck = 32;

bool HasControlFlow(const Graph& graph) {
  for (const Node* node : graph.op_nodes()) {
    if (node->IsControlFlow()) return true;
  }
  return false;
}

}  // namespace

class PlanCompiler {
 public:
  PlanCompiler(std::shared_ptr<SessionResources> resources,
               KernelCache* kernels, const PlanOptions& options)
      : options_(options), kernels_(kernels), plan_(std::make_shared<Plan>()) {
    plan_->resources_ = std::move(resources);
  }

  // Compiles the part of `live` that `signature` needs.
  StatusOr<std::shared_ptr<const Plan>> Compile(
      const LiveGraph& live, const NodeSignature& signature) {
    plan_->signature_ = signature;
    plan_->num_fetches_ = static_cast<int>(signature.fetches.size());
    if (const SessionPolicy* policy = plan_->resources_->policy.get()) {
      absl::MutexLock lock(&live.mu());
      TF_RETURN_IF_ERROR(policy->CheckWhole(live.graph(), *live.functions()));
    }
    TF_RETURN_IF_ERROR(Rewrite(live));
    if (const RewrittenGraph* made = plan_->rewritten()) {
      return CompileSource(*made->graph, made->signature);
    }
    return CompileSource(live, signature);
  }

  // Compiles what the run executes: the user's graph, or what is in its place.
  StatusOr<std::shared_ptr<const Plan>> CompileSource(
      const LiveGraph& source, const NodeSignature& signature) {
    TF_RETURN_IF_ERROR(Prune(source, signature));
    TF_RETURN_IF_ERROR(CheckPolicy(source.functions().get()));
    NoteLibraryOps();
    TF_RETURN_IF_ERROR(ValidateControlFlow(*pruned_.graph));
    TF_RETURN_IF_ERROR(Place());
    TF_RETURN_IF_ERROR(CheckPlaces());
    if (options_.in_pieces) {
      plan_->feeds_needed_ = FeedsNeeded(*pruned_.graph, plan_->num_fetches());
      TF_RETURN_IF_ERROR(
          CutForPieces(plan_->resources_->devices->client_device()->info(),
                       pruned_.graph.get()));
      TF_RETURN_IF_ERROR(CompilePartitions());
      return std::shared_ptr<const Plan>(std::move(plan_));
    }
    TF_RETURN_IF_ERROR(
        OptimizeGraph(source, signature, options_.passes,
                      plan_->resources_->devices->client_device(), &pruned_));
    TF_RETURN_IF_ERROR(CompilePartitions());
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

  // Compiles the whole of `graph`.
  StatusOr<std::shared_ptr<const Plan>> Compile(std::unique_ptr<Graph> graph) {
    pruned_.graph = std::move(graph);
    const FunctionLibraryRuntime* functions =
        plan_->resources_->functions.get();
    TF_RETURN_IF_ERROR(CheckPolicy(
        functions == nullptr ? nullptr
                             : functions->GetFunctionLibraryDefinition()));
    NoteLibraryOps();
    TF_RETURN_IF_ERROR(ValidateControlFlow(*pruned_.graph));
    TF_RETURN_IF_ERROR(DescribeEndpoints());
    TF_RETURN_IF_ERROR(Place());
    TF_RETURN_IF_ERROR(CheckPlaces());
    TF_RETURN_IF_ERROR(OptimizeWholeGraph(
        options_.passes, plan_->resources_->devices->client_device(),
        pruned_.graph.get()));
    TF_RETURN_IF_ERROR(CompilePartitions());
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

 private:
  // Comes before all that may make a kernel, as constant folding does.
  Status CheckPolicy(const FunctionLibraryDefinition* functions) const {
    const SessionPolicy* policy = plan_->resources_->policy.get();
    return policy == nullptr ? OkStatus()
                             : policy->CheckGraph(*pruned_.graph, functions);
  }

  Status Place() {
    PlacerOptions placing;
    placing.allow_soft_placement = options_.allow_soft_placement;
    placing.log_device_placement = options_.log_device_placement;
    if (const auto* functions = plan_->resources_->functions.get()) {
      placing.functions = functions->GetFunctionLibraryDefinition();
    }
    return PlaceGraph(plan_->resources_->placeable, placing,
                      pruned_.graph.get());
  }

  Status CheckPlaces() const {
    if (!plan_->resources_->MustRepeat()) return OkStatus();
    return plan_->resources_->policy->CheckPlaces(
        *pruned_.graph, plan_->resources_->devices->client_device()->name(),
        options_.in_pieces);
  }

  // Constants that passes fold rest on kernels, too.
  void NoteLibraryOps() {
    absl::flat_hash_set<const OpDef*> seen;
    for (const Node* node : pruned_.graph->op_nodes()) {
      if (seen.insert(&node->op_def()).second &&
          HasLibraryKernel(node->type_string())) {
        plan_->library_ops_.push_back(node->type_string());
      }
    }
  }

  // Notes the feeds and fetches of a graph that has them as nodes.
  Status DescribeEndpoints() {
    std::vector<const Node*> args;
    std::vector<const Node*> retvals;
    for (const Node* node : pruned_.graph->op_nodes()) {
      if (node->IsArg()) args.push_back(node);
      if (node->IsRetval()) retvals.push_back(node);
    }
    std::vector<const Node*> ordered;
    TF_RETURN_IF_ERROR(OrderByIndex(retvals, &ordered));
    plan_->num_fetches_ = static_cast<int>(ordered.size());
    TF_RETURN_IF_ERROR(OrderByIndex(args, &ordered));
    for (const Node* arg : ordered) {
      FeedSpec& spec = plan_->feeds_.emplace_back();
      spec.name = absl::StrCat(arg->name(), ":0");
      spec.dtype = arg->output_type(0);
    }
    return OkStatus();
  }

  // InvalidArgument unless the indices are 0, 1, 2, ..., each once.
  static Status OrderByIndex(const std::vector<const Node*>& nodes,
                             std::vector<const Node*>* ordered) {
    ordered->assign(nodes.size(), nullptr);
    for (const Node* node : nodes) {
      const int64_t index = node->FindAttr("index")->i();
      if (index < 0 || index >= static_cast<int64_t>(nodes.size()) ||
          (*ordered)[index] != nullptr) {
        return errors::AttachNode(
            errors::InvalidArgument(
                node->DebugString(), ": the indices of ", nodes.size(),
                " such nodes must be 0, 1, ..., each once, got ", index),
            node->name());
      }
      (*ordered)[index] = node;
    }
    return OkStatus();
  }

  // Describes the feeds, which are the user's, and runs outside optimizers.
  Status Rewrite(const LiveGraph& live) {
    const NodeSignature& s = plan_->signature_;
    plan_->feeds_ = DescribeFeeds(live, s.feeds);
    // Read before the graph is: a change after that makes the plan stale.
    plan_->mutation_version_ = live.mutation_version();
    if (options_.outside == nullptr || options_.in_pieces) return OkStatus();
    // Reports what is wrong with the signature.
    TF_RETURN_IF_ERROR(Prune(live, s));
    return RewriteForRun(live, s, *options_.outside, *plan_->resources_,
                         &plan_->rewritten_);
  }

  Status Prune(const LiveGraph& source, const NodeSignature& s) {
    absl::MutexLock lock(&source.mu());
    return PruneForRun(source.graph(), s.feeds, s.fetches, s.targets, &pruned_);
  }

  // The device of that name, if it executes in this process.
  Status LocalDevice(const std::string& name, Device** device) const {
    const SessionResources& resources = *plan_->resources_;
    if (resources.devices->LookupDevice(name, device).ok()) return OkStatus();
    std::string example;
    for (const Node* node : pruned_.graph->op_nodes()) {
      if (node->assigned_device_name() == name) example = node->name();
    }
    return errors::AttachNode(
        errors::FailedPrecondition(
            "Node ", example, " was placed on ", name,
            ", which is a device of another process; this one executes on ",
            resources.devices->device_set().DeviceNames()),
        example);
  }

  // Are all nodes on one device of this process?  Null if not.
  Device* OnlyDevice() const {
    int index = -1;
    for (const Node* node : pruned_.graph->op_nodes()) {
      if (index < 0) index = node->assigned_device_index();
      if (node->assigned_device_index() != index) return nullptr;
    }
    Device* device = plan_->resources_->devices->client_device();
    if (index > 0 &&
        !LocalDevice(pruned_.graph->DeviceNameAt(index), &device).ok()) {
      return nullptr;
    }
    return device;
  }

  Status CompilePartitions() {
    OrderReadsBeforeWrites(pruned_.graph.get());
    if (Device* device = OnlyDevice()) {
      return CompileOne(std::move(pruned_.graph), device, options_.may_be_dead);
    }
    const SessionResources& resources = *plan_->resources_;
    PartitionOptions options;
    options.incarnation = [&resources](const std::string& name) {
      const DeviceInfo* info = resources.placeable.Find(name);
      return info == nullptr ? 0 : info->attributes().incarnation();
    };
    const bool may_be_dead =
        options_.may_be_dead || HasControlFlow(*pruned_.graph);
    std::vector<DevicePartition> partitions;
    TF_RETURN_IF_ERROR(PartitionGraph(options, *pruned_.graph, &partitions));
    for (DevicePartition& partition : partitions) {
      Device* device = nullptr;
      TF_RETURN_IF_ERROR(LocalDevice(partition.device, &device));
      TF_RETURN_IF_ERROR(
          CompileOne(std::move(partition.graph), device, may_be_dead));
    }
    return OkStatus();
  }

  Status CompileOne(std::unique_ptr<Graph> graph, Device* device,
                    bool may_be_dead) {
    TF_RETURN_IF_ERROR(InsertMemoryCopies(device, graph.get()));
    plan_->has_device_memory_ |= !device->memory_is_host();
    TF_RETURN_IF_ERROR(
        CompiledGraph::Compile(std::move(graph), device, kernels_, may_be_dead,
                               &plan_->partitions_.emplace_back()));
    plan_->needs_rendezvous_ |= plan_->partitions_.back()->has_transfers();
    return OkStatus();
  }

  const PlanOptions& options_;
  KernelCache* const kernels_;
  std::shared_ptr<Plan> plan_;
  PrunedGraph pruned_;
};

Plan::Plan() = default;
Plan::~Plan() = default;

bool Plan::HasKernelsSince(int64_t reloads) const {
  const int64_t now = KernelReloads();
  if (AnyReloadedSince(library_ops_, reloads)) return false;
  reloads_.store(now, std::memory_order_relaxed);
  return true;
}

thread::ThreadPool* Plan::inter_op_pool() const {
  SessionThreads* threads = resources_->threads.get();
  return threads->inter_op_threads() > 1 ? threads->inter_op() : nullptr;
}

std::unique_ptr<RunState> Plan::AcquireRunState() const {
  std::unique_ptr<RunState> state;
  {
    absl::MutexLock lock(&mu_);
    if (!free_.empty()) {
      state = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (state == nullptr) {
    state = std::make_unique<RunState>(inter_op_pool());
  }
  // Costs become known, and they change with shapes.
  if (state->runs++ % kRunsPerModeCheck < 2) PrepareRunState(state.get());
  return state;
}

void Plan::PrepareRunState(RunState* state) const {
  state->executors.resize(partitions_.size());
  state->modes.resize(partitions_.size());
  for (size_t i = 0; i < partitions_.size(); ++i) {
    const CompiledGraph::Mode mode =
        partitions_[i]->mode(resources_->threads->inter_op_threads());
    if (state->executors[i] == nullptr || state->modes[i] != mode) {
      state->executors[i] = Executor::Make(*partitions_[i], mode);
      state->modes[i] = mode;
    }
  }
}

void Plan::ReleaseRunState(std::unique_ptr<RunState> state) const {
  absl::MutexLock lock(&mu_);
  if (free_.size() < kMaxFreeRunStates) free_.push_back(std::move(state));
}

std::string Plan::DebugString() const {
  std::string out;
  for (const auto& partition : partitions_) {
    absl::StrAppend(&out, partition->device()->name(), "\n");
    for (const CompiledNode& n : partition->nodes()) {
      absl::StrAppend(&out, "  ", n.node->DebugString(), "\n");
    }
  }
  return out;
}

void Plan::BeginStep(RunState* state, StepArgs args) const {
  args.devices = &resources_->devices->devices();
  args.needs_rendezvous = needs_rendezvous_;
  if (!has_device_memory_) return state->step->Begin(args);
  core::RefCountPtr<Rendezvous> inner(args.rendezvous);
  if (inner == nullptr) {
    inner.reset(NewLocalRendezvous());
  } else {
    inner->Ref();
  }
  const core::RefCountPtr<Rendezvous> copying(
      NewCopyingRendezvous(resources_->devices.get(), inner.get()));
  args.rendezvous = copying.get();
  state->step->Begin(args);
}

Status Plan::Execute(RunState* state, absl::Span<const Tensor> feeds,
                     std::vector<Tensor>* fetches) const {
  const Step::PollScope polling(state->step.get());
  const size_t n = partitions_.size();
  if (n == 1 && state->modes[0] == CompiledGraph::Mode::kStatic) {
    static_cast<StaticExecutor*>(state->executors[0].get())
        ->Run(state->step.get(), feeds, fetches);
    // A kernel may have taken longer than the run had.
    Step::Poll();
    return state->step->status();
  }
  RunArgs args;
  args.step = state->step.get();
  args.queue = state->queue;
  args.feeds = feeds;
  args.fetches = fetches;
  args.in_order = resources_->MustRepeat();
  state->queue->Expect(static_cast<int>(n));
  for (size_t i = 1; i < n; ++i) {
    Executor* executor = state->executors[i].get();
    state->queue->Push([executor, args] { executor->Start(args); });
  }
  if (n > 0) state->executors[0]->Start(args);
  state->queue->WorkUntilDone();
  Step::Poll();
  return state->step->status();
}

void Plan::Start(RunState* state, absl::Span<const Tensor> feeds,
                 std::vector<Tensor>* fetches,
                 std::function<void()> done) const {
  const bool is_sequential =
      partitions_.empty() || (partitions_.size() == 1 &&
                              state->modes[0] == CompiledGraph::Mode::kStatic);
  if (is_sequential || !state->queue->has_pool()) {
    Execute(state, feeds, fetches).IgnoreError();  // The step keeps the status.
    return done();
  }
  RunArgs args;
  args.step = state->step.get();
  args.queue = state->queue;
  args.feeds = feeds;
  args.fetches = fetches;
  const size_t n = partitions_.size();
  state->queue->Expect(static_cast<int>(n), std::move(done));
  for (size_t i = 1; i < n; ++i) {
    Executor* executor = state->executors[i].get();
    args.queue->Push([executor, args] { executor->Start(args); });
  }
  // The run may be over, and `state` gone, when this returns.
  state->executors[0]->Start(args);
}

namespace {

// Graph passes make tensors, for which there may be no memory.
template <typename Compile>
StatusOr<std::shared_ptr<const Plan>> Caught(const Compile& compile) {
  StatusOr<std::shared_ptr<const Plan>> made = nullptr;
  TF_RETURN_IF_ERROR(CatchExceptions([&] { made = compile(); },
                                     [] { return "Making a plan"; }));
  return made;
}

}  // namespace

StatusOr<std::shared_ptr<const Plan>> CompilePlan(
    const LiveGraph& graph, const NodeSignature& signature,
    std::shared_ptr<SessionResources> resources, const PlanOptions& options) {
  KernelCache* const kernels = &resources->kernels;
  return Caught([&] {
    return PlanCompiler(std::move(resources), kernels, options)
        .Compile(graph, signature);
  });
}

StatusOr<std::shared_ptr<const Plan>> CompileGraph(
    std::unique_ptr<Graph> graph, std::shared_ptr<SessionResources> resources,
    KernelCache* kernels, const PlanOptions& options) {
  return Caught([&] {
    return PlanCompiler(std::move(resources), kernels, options)
        .Compile(std::move(graph));
  });
}

}  // namespace tensorwright
