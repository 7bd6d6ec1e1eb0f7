// SPDX-License-Identifier: Apache-2.0
// The FunctionLibraryRuntime of a session.
#include "core/common_runtime/function.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/function_calls.h"
#include "core/common_runtime/kernel_cache.h"
#include "core/common_runtime/run_state.h"
#include "core/common_runtime/session_policy.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/cancellation.h"
#include "core/framework/function.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_gradient.h"
#include "core/graph/function_body.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// One function for one set of attrs.
struct Instance {
  std::shared_ptr<const FunctionDef> def;
  NodeDef attrs;  // Only the attrs of the signature.
  FunctionLibraryRuntime::Signature signature;

  const std::string& name() const { return def->signature().name(); }

  absl::Mutex mu;
  bool compiled ABSL_GUARDED_BY(mu) = false;
  Status status ABSL_GUARDED_BY(mu);
  std::shared_ptr<const Plan> plan ABSL_GUARDED_BY(mu);
};

// A call in progress.
struct Call {
  const Instance* instance = nullptr;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<RunState> state;
  std::vector<Tensor> args;
  std::vector<Tensor>* rets = nullptr;
  FunctionLibraryRuntime::DoneCallback done;
  CancellationManager* canceller = nullptr;
  CancellationToken token = CancellationManager::kInvalidToken;
};

// The calls that are on this thread's stack.  Functions that callers bind to
// attrs may call each other more deeply than CheckCalls can tell.
class StackOfCalls {
 public:
  static int depth() { return depth_; }

  struct Frame {
    Frame() { ++depth_; }
    ~Frame() { --depth_; }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
  };

 private:
  static thread_local int depth_;
};

thread_local int StackOfCalls::depth_ = 0;

class Runtime final : public FunctionLibraryRuntime {
 public:
  Runtime(std::shared_ptr<const FunctionLibraryDefinition> library,
          SessionResources* resources, const PlanOptions& options)
      : library_(std::move(library)), resources_(resources), options_(options) {
    options_.in_pieces = false;
    options_.log_device_placement = false;
  }

  Status Instantiate(const std::string& name, const AttrSlice& attrs,
                     Handle* handle) override {
    if (name == "SymbolicGradient") return InstantiateGradient(attrs, handle);
    std::shared_ptr<const FunctionDef> def = library_->Find(name);
    if (def == nullptr) {
      return errors::NotFound("Function '", name,
                              "' is not in the graph's library");
    }
    NodeDef own;
    for (const OpDef::AttrDef& attr : def->signature().attr()) {
      if (const AttrValue* value = attrs.Find(attr.name())) {
        (*own.mutable_attr())[attr.name()] = *value;
      } else if (attr.has_default_value()) {
        (*own.mutable_attr())[attr.name()] = attr.default_value();
      }
    }
    const std::string key = Canonicalize(name, AttrSlice(own));
    // If the function was replaced under its name, this is another function.
    if (Lookup(key, def.get(), handle)) return OkStatus();
    TF_RETURN_IF_ERROR(CheckCalls(*library_, name));
    return Add(key, std::move(def), std::move(own), handle);
  }

  Status GetSignature(Handle handle, Signature* signature) override {
    Instance* instance = nullptr;
    TF_RETURN_IF_ERROR(Find(handle, &instance));
    *signature = instance->signature;
    return OkStatus();
  }

  Status RunSync(const Options& options, Handle handle,
                 absl::Span<const Tensor> args,
                 std::vector<Tensor>* rets) override {
    Call call;
    TF_RETURN_IF_ERROR(Begin(options, handle, args, rets, &call));
    {
      const StackOfCalls::Frame frame;
      call.plan->Execute(call.state.get(), args, rets).IgnoreError();
    }
    return End(&call);
  }

  void Run(const Options& options, Handle handle, absl::Span<const Tensor> args,
           std::vector<Tensor>* rets, DoneCallback done) override {
    auto call = std::make_shared<Call>();
    const Status status = Begin(options, handle, args, rets, call.get());
    if (!status.ok()) return done(status);
    call->args.assign(args.begin(), args.end());
    call->done = std::move(done);
    Call* const c = call.get();
    const StackOfCalls::Frame frame;
    c->plan->Start(c->state.get(), c->args, rets, [this, call]() mutable {
      // Comes before done, after which the caller may be gone.
      const Status ended = End(call.get());
      const DoneCallback tell = std::move(call->done);
      call.reset();
      tell(ended);
    });
  }

  const FunctionLibraryDefinition* GetFunctionLibraryDefinition()
      const override {
    return library_.get();
  }

  DeviceBase* device() override { return resources_->devices->client_device(); }

 private:
  Status Find(Handle handle, Instance** instance) {
    absl::ReaderMutexLock lock(&mu_);
    if (handle >= instances_.size()) {
      return errors::InvalidArgument("Function handle ", handle,
                                     " is not of this runtime");
    }
    *instance = &instances_[handle];
    return OkStatus();
  }

  // Is there an instance under that key, of `def` if it is given?
  bool Lookup(const std::string& key, const FunctionDef* def, Handle* handle) {
    absl::ReaderMutexLock lock(&mu_);
    const auto known = by_key_.find(key);
    if (known == by_key_.end() ||
        (def != nullptr && instances_[known->second].def.get() != def)) {
      return false;
    }
    *handle = known->second;
    return true;
  }

  Status Add(const std::string& key, std::shared_ptr<const FunctionDef> def,
             NodeDef attrs, Handle* handle) {
    Signature signature;
    TF_RETURN_IF_ERROR(FunctionTypes(*def, AttrSlice(attrs), &signature.args,
                                     &signature.rets));
    absl::MutexLock lock(&mu_);
    const auto [it, is_new] = by_key_.emplace(key, instances_.size());
    if (!is_new && instances_[it->second].def.get() == def.get()) {
      *handle = it->second;
      return OkStatus();
    }
    it->second = instances_.size();
    Instance& made = instances_.emplace_back();
    made.def = std::move(def);
    made.attrs = std::move(attrs);
    made.signature = std::move(signature);
    *handle = it->second;
    return OkStatus();
  }

  // The gradient of function or op `f` in `attrs`: the one that the library
  // names, or the one that C++ registered for the op.
  Status InstantiateGradient(const AttrSlice& attrs, Handle* handle) {
    const AttrValue* const f = attrs.Find("f");
    if (f == nullptr || !f->has_func()) {
      return errors::InvalidArgument(
          "SymbolicGradient: attr f must name a function");
    }
    const std::string& name = f->func().name();
    const AttrSlice of(&f->func().attr());
    const std::string gradient = library_->FindGradient(name);
    if (!gradient.empty()) return Instantiate(gradient, of, handle);
    if (library_->Contains(name) || !gradient::FindOpGradient(name)) {
      return errors::NotFound(
          "SymbolicGradient: the graph's library names no gradient of '", name,
          "', and it is no op with a gradient in C++");
    }
    const std::string key =
        absl::StrCat("SymbolicGradient:", Canonicalize(name, of));
    if (Lookup(key, nullptr, handle)) return OkStatus();
    auto def = std::make_shared<FunctionDef>();
    TF_RETURN_IF_ERROR(MakeOpGradient(name, of, library_.get(), def.get()));
    NodeDef own;
    *own.mutable_attr() = f->func().attr();
    return Add(key, std::move(def), std::move(own), handle);
  }

  Status GetPlan(const Options& options, Instance* instance,
                 std::shared_ptr<const Plan>* plan) {
    absl::MutexLock lock(&instance->mu);
    if (instance->plan != nullptr && !instance->plan->HasCurrentKernels()) {
      instance->compiled = false;
    }
    if (!instance->compiled) {
      PlanOptions compiling = options_;
      bool abandoned = false;
      compiling.passes.still_wanted = [&options, &abandoned] {
        const Status status = CheckWanted(options);
        abandoned = !status.ok();
        return status;
      };
      const Status status = Compile(*instance, compiling, &instance->plan);
      // Another call may have the time that this one lacked.
      if (abandoned) return status;
      instance->compiled = true;
      instance->status = status;
    }
    *plan = instance->plan;
    return instance->status;
  }

  // An error once the call, or the run that it is a part of, must end.
  static Status CheckWanted(const Options& options) {
    if (options.cancellation_manager != nullptr &&
        options.cancellation_manager->IsCancelled()) {
      return errors::Cancelled("The function call was cancelled");
    }
    return Step::CheckPolled();
  }

  Status Compile(const Instance& instance, const PlanOptions& options,
                 std::shared_ptr<const Plan>* plan) {
    FunctionBody body;
    const Status found = InstantiateFunctionBody(
        *instance.def, AttrSlice(instance.attrs), library_.get(), &body);
    if (!found.ok()) return WithoutNode(found, found.message());
    // Its nodes have the function's own names, so kernels with state belong to
    // the instance, which keeps them with its plan.
    KernelCache kernels(this);
    // The session's resources own this runtime.
    const std::shared_ptr<SessionResources> unowned(
        std::shared_ptr<SessionResources>(), resources_);
    auto made = CompileGraph(std::move(body.graph), unowned, &kernels, options);
    if (!made.ok()) return InFunction(instance, made.status());
    *plan = *std::move(made);
    return OkStatus();
  }

  static Status InFunction(const Instance& instance, const Status& status) {
    if (status.ok()) return status;
    const std::string node = errors::FailedNode(status);
    return WithoutNode(
        status, absl::StrCat("Function ", instance.name(),
                             node.empty() ? "" : absl::StrCat(", node ", node),
                             ": ", status.message()));
  }

  // The same error with another message, and without the node that failed.
  // That node belongs to the function: the graph around it, which may have
  // another node of that name, attaches the calling node.
  static Status WithoutNode(const Status& status, absl::string_view message) {
    const std::string node = errors::FailedNode(status);
    Status out(status.code(), message);
    status.ForEachPayload(
        [&](absl::string_view url, absl::string_view payload) {
          if (payload != node) out.SetPayload(url, payload);
        });
    return out;
  }

  static Status CheckArgs(const Instance& instance,
                          absl::Span<const Tensor> args) {
    const DataTypeVector& types = instance.signature.args;
    if (args.size() != types.size()) {
      return errors::InvalidArgument("Function ", instance.name(), ": needs ",
                                     types.size(), " arguments, got ",
                                     args.size());
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].dtype() == types[i]) continue;
      return errors::InvalidArgument(
          "Function ", instance.name(), ": argument ", i, " must be ",
          DataTypeString(types[i]), ", got ", DataTypeString(args[i].dtype()));
    }
    return OkStatus();
  }

  Status Begin(const Options& options, Handle handle,
               absl::Span<const Tensor> args, std::vector<Tensor>* rets,
               Call* call) {
    Instance* instance = nullptr;
    TF_RETURN_IF_ERROR(Find(handle, &instance));
    TF_RETURN_IF_ERROR(CheckArgs(*instance, args));
    if (StackOfCalls::depth() >= kMaxCallDepth) {
      return errors::InvalidArgument("Function ", instance->name(),
                                     ": functions must not call each other"
                                     " more than ",
                                     kMaxCallDepth, " deep");
    }
    if (const SessionPolicy* policy = resources_->policy.get()) {
      TF_RETURN_IF_ERROR(
          policy->CheckCallDepth(instance->name(), StackOfCalls::depth()));
    }
    TF_RETURN_IF_ERROR(GetPlan(options, instance, &call->plan));
    call->instance = instance;
    call->rets = rets;
    call->state = call->plan->AcquireRunState();
    // Shared, since cancelling may go on when the call is over.
    const std::shared_ptr<Step> step = call->state->step;
    StepArgs step_args;
    step_args.id = NewStepId();
    step_args.rendezvous = options.rendezvous;
    rets->clear();
    rets->resize(call->plan->num_fetches());
    call->plan->BeginStep(call->state.get(), step_args);
    if (options.cancellation_manager == nullptr) return OkStatus();
    call->canceller = options.cancellation_manager;
    call->token = call->canceller->get_cancellation_token();
    if (!call->canceller->RegisterCallback(call->token, [step] {
          step->Fail(errors::Cancelled("The function call was cancelled"));
        })) {
      call->canceller = nullptr;
      step->Fail(errors::Cancelled("The function call was cancelled"));
    }
    return OkStatus();
  }

  Status End(Call* call) {
    // While others are cancelled, this may run in one of their callbacks, and
    // cannot wait: then the step may be failed later, and is not used again.
    const bool is_free = call->canceller == nullptr ||
                         call->canceller->TryDeregisterCallback(call->token);
    const Status status = call->state->step->status();
    if (call->state->step->End() && is_free) {
      call->plan->ReleaseRunState(std::move(call->state));
    }
    if (status.ok()) return status;
    call->rets->clear();
    return InFunction(*call->instance, status);
  }

  const std::shared_ptr<const FunctionLibraryDefinition> library_;
  SessionResources* const resources_;
  PlanOptions options_;

  absl::Mutex mu_;
  // Handles are positions in it; elements stay in place.
  std::deque<Instance> instances_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, Handle> by_key_ ABSL_GUARDED_BY(mu_);
};

// Calls a function.
class FunctionCallOp final : public AsyncOpKernel {
 public:
  explicit FunctionCallOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->function_library()->Instantiate(
                            ctx->def().op(), AttrSlice(ctx->def()), &handle_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    FunctionLibraryRuntime* const runtime = ctx->function_library();
    std::vector<Tensor> args;
    for (int i = 0; i < ctx->num_inputs(); ++i) args.push_back(ctx->input(i));
    FunctionLibraryRuntime::Options options;
    options.cancellation_manager = ctx->cancellation_manager();
    auto* const rets = new std::vector<Tensor>;
    runtime->Run(options, handle_, args, rets,
                 [ctx, rets, done = std::move(done)](const Status& status) {
                   const std::unique_ptr<std::vector<Tensor>> owned(rets);
                   ctx->SetStatus(status);
                   for (size_t i = 0; i < rets->size(); ++i) {
                     ctx->set_output(static_cast<int>(i), (*rets)[i]);
                   }
                   done();
                 });
  }

 private:
  FunctionLibraryRuntime::Handle handle_ = 0;
};

}  // namespace

std::unique_ptr<FunctionLibraryRuntime> NewFunctionLibraryRuntime(
    std::shared_ptr<const FunctionLibraryDefinition> library,
    SessionResources* resources, const PlanOptions& options) {
  return std::make_unique<Runtime>(std::move(library), resources, options);
}

Status MakeFunctionCallKernel(Device* device, FunctionLibraryRuntime* runtime,
                              const std::shared_ptr<const NodeProperties>& node,
                              OpKernel** kernel) {
  const MemoryTypeVector inputs(node->input_types.size(), DEVICE_MEMORY);
  const MemoryTypeVector outputs(node->output_types.size(), DEVICE_MEMORY);
  Status status;
  OpKernelConstruction construction(DeviceType(device->device_type()), device,
                                    device->GetAllocator(AllocatorAttributes()),
                                    node, inputs, outputs, runtime,
                                    /*graph_def_version=*/0, &status);
  auto made = std::make_unique<FunctionCallOp>(&construction);
  if (status.ok()) *kernel = made.release();
  return status;
}

}  // namespace tensorwright
