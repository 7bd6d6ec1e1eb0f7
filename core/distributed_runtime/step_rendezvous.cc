// SPDX-License-Identifier: Apache-2.0
// StepRendezvous.
#include "core/distributed_runtime/step_rendezvous.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {

// One RecvTensor.  Whoever comes first, its answer or an abort, takes `done`.
struct StepRendezvous::RemoteCall {
  DoneCallback done;
  Args args;
  std::shared_ptr<ClientCall> call;
};

StepRendezvous::StepRendezvous(int64_t step_id, const WorkerEnv* env)
    : step_id_(step_id), env_(env), local_(NewLocalRendezvous()) {}

StepRendezvous::~StepRendezvous() = default;

Status StepRendezvous::Send(const ParsedKey& key, const Args& args,
                            const Tensor& value, bool is_dead) {
  return local_->Send(key, args, value, is_dead);
}

bool StepRendezvous::IsLocal(const ParsedKey& key) const {
  const absl::string_view src = WorkerEnv::TaskOf(key.src_device);
  // Feeds and fetches are between the client and whoever they belong to.
  return src == env_->task || src == WorkerEnv::TaskOf(key.dst_device);
}

void StepRendezvous::RecvAsync(const ParsedKey& key, const Args& args,
                               DoneCallback done) {
  if (!IsLocal(key)) return RecvRemoteAsync(key, args, std::move(done));
  local_->RecvAsync(key, args, std::move(done));
}

void StepRendezvous::RecvLocalAsync(const ParsedKey& key, DoneCallback done) {
  local_->RecvAsync(key, Args(), std::move(done));
}

void StepRendezvous::RecvRemoteAsync(const ParsedKey& key, const Args& args,
                                     DoneCallback done) {
  const absl::string_view task = WorkerEnv::TaskOf(key.src_device);
  const std::shared_ptr<Transport> worker = env_->WorkerOf(task);
  Status status;
  if (worker == nullptr) {
    status = errors::InvalidArgument("The cluster of ", env_->task,
                                     " has no task ", task);
  }
  const auto call = std::make_shared<RemoteCall>();
  call->args = args;
  {
    absl::MutexLock lock(&mu_);
    status.Update(aborted_);
    if (status.ok()) {
      call->done = std::move(done);
      calls_.insert(call);
    }
  }
  if (!status.ok()) return done(status, Args(), args, Tensor(), false);

  RecvTensorRequest request;
  request.set_step_id(step_id_);
  request.set_rendezvous_key(std::string(key.FullKey()));
  request.set_request_id(0);
  Ref();  // Given back by the answer.
  auto client = worker->Call(
      absl::StrCat(kWorkerService, "RecvTensor"), Encode(request),
      CallOptions(), [this, call](CallResult result) {
        const core::RefCountPtr<StepRendezvous> held(this);
        DoneCallback waiting;
        {
          absl::MutexLock lock(&mu_);
          calls_.erase(call);
          waiting = std::move(call->done);
          call->done = nullptr;
        }
        if (waiting == nullptr) return;  // Aborted meanwhile.
        Status status = result.status;
        RecvTensorResponse response;
        std::vector<Tensor> tensors;
        if (status.ok()) {
          status = DecodeWithTensors(result.body, 1, &response, &tensors);
        }
        if (status.ok() && tensors.size() != 1 && !response.is_dead()) {
          status = errors::Internal("A RecvTensor was answered with ",
                                    tensors.size(), " tensors");
        }
        waiting(status, Args(), call->args,
                tensors.empty() ? Tensor() : tensors[0], response.is_dead());
      });
  bool cancel = false;
  {
    absl::MutexLock lock(&mu_);
    cancel = call->done == nullptr;
    call->call = client;
  }
  // An abort that came before there was anything to cancel.
  if (cancel) client->Cancel();
}

void StepRendezvous::StartAbort(const Status& status) {
  local_->StartAbort(status);
  absl::flat_hash_set<std::shared_ptr<RemoteCall>> calls;
  std::vector<DoneCallback> waiting;
  std::vector<std::shared_ptr<ClientCall>> clients;
  {
    absl::MutexLock lock(&mu_);
    aborted_.Update(status);
    calls.swap(calls_);
    for (const auto& call : calls) {
      waiting.push_back(std::move(call->done));
      call->done = nullptr;
      if (call->call != nullptr) clients.push_back(call->call);
    }
  }
  for (const auto& client : clients) client->Cancel();
  for (const DoneCallback& done : waiting) {
    if (done) done(status, Args(), Args(), Tensor(), false);
  }
}

StepRendezvousTable::~StepRendezvousTable() {
  std::vector<int64_t> left;
  {
    absl::MutexLock lock(&mu_);
    for (const auto& [step, rendezvous] : steps_) left.push_back(step);
  }
  for (const int64_t step : left) Cleanup(step);
}

StatusOr<core::RefCountPtr<StepRendezvous>> StepRendezvousTable::Get(
    int64_t step_id) {
  absl::MutexLock lock(&mu_);
  if (over_.contains(step_id)) {
    return errors::Aborted("Step ", step_id, " is over");
  }
  core::RefCountPtr<StepRendezvous>& known = steps_[step_id];
  if (known == nullptr) known.reset(new StepRendezvous(step_id, env_));
  known->Ref();
  return core::RefCountPtr<StepRendezvous>(known.get());
}

void StepRendezvousTable::Cleanup(int64_t step_id) {
  core::RefCountPtr<StepRendezvous> gone;
  {
    absl::MutexLock lock(&mu_);
    const auto it = steps_.find(step_id);
    if (it != steps_.end()) {
      gone = std::move(it->second);
      steps_.erase(it);
    }
    if (over_.insert(step_id).second) over_in_order_.push_back(step_id);
    if (over_in_order_.size() > kRemembered) {
      over_.erase(over_in_order_.front());
      over_in_order_.pop_front();
    }
  }
  if (gone != nullptr) {
    gone->StartAbort(errors::Aborted("Step ", step_id, " was cleaned up"));
  }
}

size_t StepRendezvousTable::size() const {
  absl::MutexLock lock(&mu_);
  return steps_.size();
}

}  // namespace tensorwright
