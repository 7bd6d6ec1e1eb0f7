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

StepRendezvous::StepRendezvous(int64_t step_id,
                               std::shared_ptr<const ClusterView> cluster)
    : step_id_(step_id),
      local_(NewLocalRendezvous()),
      cluster_(std::move(cluster)) {}

StepRendezvous::~StepRendezvous() = default;

Status StepRendezvous::Send(const ParsedKey& key, const Args& args,
                            const Tensor& value, bool is_dead) {
  return local_->Send(key, args, value, is_dead);
}

void StepRendezvous::SetCluster(std::shared_ptr<const ClusterView> cluster) {
  absl::MutexLock lock(&mu_);
  cluster_.swap(cluster);
}

std::shared_ptr<const ClusterView> StepRendezvous::cluster() const {
  absl::MutexLock lock(&mu_);
  return cluster_;
}

void StepRendezvous::RecvAsync(const ParsedKey& key, const Args& args,
                               DoneCallback done) {
  const absl::string_view src = WorkerEnv::TaskOf(key.src_device);
  // Feeds and fetches are between the client and whoever they belong to.
  if (src == WorkerEnv::TaskOf(key.dst_device) || src == cluster()->task()) {
    return local_->RecvAsync(key, args, std::move(done));
  }
  RecvRemoteAsync(key, args, std::move(done));
}

void StepRendezvous::RecvLocalAsync(const ParsedKey& key, DoneCallback done) {
  local_->RecvAsync(key, Args(), std::move(done));
}

void StepRendezvous::RecvRemoteAsync(const ParsedKey& key, const Args& args,
                                     DoneCallback done) {
  const absl::string_view task = WorkerEnv::TaskOf(key.src_device);
  const std::shared_ptr<const ClusterView> cluster = this->cluster();
  const std::shared_ptr<Transport> worker = cluster->WorkerOf(task);
  Status status;
  if (worker == nullptr) {
    status = errors::InvalidArgument("The cluster of ", cluster->task(),
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
    for (const auto& [step, entry] : steps_) left.push_back(step);
  }
  for (const int64_t step : left) Cleanup(step);
}

StepRendezvousTable::Entry* StepRendezvousTable::FindOrMake(int64_t step_id) {
  if (over_.contains(step_id)) return nullptr;
  Entry& entry = steps_[step_id];
  if (entry.rendezvous == nullptr) {
    entry.rendezvous.reset(new StepRendezvous(step_id, env_->cluster));
  }
  return &entry;
}

StatusOr<core::RefCountPtr<StepRendezvous>> StepRendezvousTable::Begin(
    int64_t step_id, const void* session) {
  absl::MutexLock lock(&mu_);
  Entry* const entry = FindOrMake(step_id);
  if (entry == nullptr) return errors::Aborted("Step ", step_id, " is over");
  entry->session = session;
  entry->rendezvous->Ref();
  return core::RefCountPtr<StepRendezvous>(entry->rendezvous.get());
}

StatusOr<core::RefCountPtr<StepRendezvous>> StepRendezvousTable::Get(
    int64_t step_id) {
  std::vector<int64_t> given_up;
  core::RefCountPtr<StepRendezvous> got;
  {
    absl::MutexLock lock(&mu_);
    const size_t before = steps_.size();
    Entry* const entry = FindOrMake(step_id);
    if (entry == nullptr) return errors::Aborted("Step ", step_id, " is over");
    entry->rendezvous->Ref();
    got.reset(entry->rendezvous.get());
    if (steps_.size() > before) expected_.push_back(step_id);
    while (expected_.size() > kMaxExpected) {
      const auto oldest = steps_.find(expected_.front());
      if (oldest != steps_.end() && oldest->second.session == nullptr) {
        given_up.push_back(oldest->first);
      }
      expected_.pop_front();
    }
  }
  for (const int64_t step : given_up) Cleanup(step);
  return got;
}

void StepRendezvousTable::Cleanup(int64_t step_id) {
  core::RefCountPtr<StepRendezvous> gone;
  {
    absl::MutexLock lock(&mu_);
    const auto it = steps_.find(step_id);
    if (it != steps_.end()) {
      gone = std::move(it->second.rendezvous);
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

void StepRendezvousTable::CleanupSession(const void* session) {
  std::vector<int64_t> left;
  {
    absl::MutexLock lock(&mu_);
    for (const auto& [step, entry] : steps_) {
      if (entry.session == session) left.push_back(step);
    }
  }
  for (const int64_t step : left) Cleanup(step);
}

size_t StepRendezvousTable::size() const {
  absl::MutexLock lock(&mu_);
  return steps_.size();
}

}  // namespace tensorwright
