// SPDX-License-Identifier: Apache-2.0
#include "core/util/session_state.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kContainer[] = "_session_state";
constexpr char kName[] = "tensors";

// Lives in a step's container, and tells the state when the step ends.
class StepEnd final : public ResourceBase {
 public:
  StepEnd(SessionState* state, int64_t step_id)
      : state_(state), step_id_(step_id) {
    state->Ref();
  }
  ~StepEnd() override { state_->Drop(step_id_); }
  std::string DebugString() const override { return "SessionState's step"; }

 private:
  const core::RefCountPtr<SessionState> state_;
  const int64_t step_id_;
};

}  // namespace

Status SessionState::Install(ResourceMgr* manager) {
  Ref();
  return manager->Create<SessionState>(kContainer, kName, this);
}

Status SessionState::Find(OpKernelContext* ctx,
                          core::RefCountPtr<SessionState>* state) {
  SessionState* found = nullptr;
  if (ctx->resource_manager() == nullptr ||
      !ctx->resource_manager()->Lookup(kContainer, kName, &found).ok()) {
    return errors::FailedPrecondition(
        "There is no session that could keep tensors");
  }
  state->reset(found);
  return OkStatus();
}

std::string SessionState::NewHandle(const std::string& node,
                                    const std::string& device) {
  return absl::StrCat(node, ";", next_id_.fetch_add(1), ";", device);
}

ResourceHandle SessionState::AsResource(const std::string& handle,
                                        const std::string& device) {
  ResourceHandle resource;
  resource.set_device(device);
  resource.set_container(kTensorHandleResourceTypeName);
  resource.set_name(handle);
  return resource;
}

Status SessionState::AddPending(OpKernelContext* ctx, const std::string& node,
                                const std::string& handle,
                                const Tensor& tensor) {
  const int64_t step_id = ctx->params()->step_id;
  core::RefCountPtr<StepEnd> end;
  {
    StepEnd* found = nullptr;
    TF_RETURN_IF_ERROR(ctx->resource_manager()->LookupOrCreate<StepEnd>(
        ctx->step_container()->name(), kContainer, &found,
        [this, step_id](StepEnd** made) {
          *made = new StepEnd(this, step_id);
          return OkStatus();
        }));
    end.reset(found);
  }
  mutex_lock lock(mu_);
  StepTensors& step = steps_[step_id];
  if (step.wanted.contains(node)) {
    tensors_[handle] = tensor;
    return OkStatus();
  }
  // In a loop, keeps the last iteration's tensor.
  const bool is_new =
      step.made.insert_or_assign(node, Pending{handle, tensor}).second;
  if (is_new) num_pending_.fetch_add(1, std::memory_order_release);
  return OkStatus();
}

void SessionState::Keep(int64_t step_id,
                        const std::vector<std::string>& nodes) {
  mutex_lock lock(mu_);
  StepTensors& step = steps_[step_id];
  for (const std::string& node : nodes) {
    step.wanted.insert(node);
    const auto it = step.made.find(node);
    if (it == step.made.end()) continue;
    tensors_[it->second.handle] = std::move(it->second.tensor);
    step.made.erase(it);
    num_pending_.fetch_sub(1, std::memory_order_release);
  }
}

void SessionState::Drop(int64_t step_id) {
  StepTensors dropped;  // Tensors are destroyed without the lock.
  mutex_lock lock(mu_);
  const auto it = steps_.find(step_id);
  if (it == steps_.end()) return;
  num_pending_.fetch_sub(static_cast<int64_t>(it->second.made.size()),
                         std::memory_order_release);
  dropped = std::move(it->second);
  steps_.erase(it);
}

Status SessionState::GetTensor(const std::string& handle,
                               Tensor* tensor) const {
  tf_shared_lock lock(mu_);
  const auto it = tensors_.find(handle);
  if (it == tensors_.end()) {
    return errors::InvalidArgument("The tensor with handle '", handle,
                                   "' is not in the session store.");
  }
  *tensor = it->second;
  return OkStatus();
}

Status SessionState::DeleteTensor(const std::string& handle) {
  Tensor dropped;
  mutex_lock lock(mu_);
  const auto it = tensors_.find(handle);
  if (it == tensors_.end()) {
    return errors::InvalidArgument("Failed to delete a tensor with handle '",
                                   handle, "' in the session store.");
  }
  dropped = std::move(it->second);
  tensors_.erase(it);
  return OkStatus();
}

std::string SessionState::DebugString() const {
  tf_shared_lock lock(mu_);
  return absl::StrCat(tensors_.size(), " tensors of a session");
}

}  // namespace tensorwright
