// SPDX-License-Identifier: Apache-2.0
// StepRendezvous.
#include "core/distributed_runtime/step_rendezvous.h"

#include <utility>

#include "core/lib/core/errors.h"

namespace tensorwright {

StepRendezvous::StepRendezvous(int64_t step_id,
                               std::shared_ptr<const ClusterView> cluster,
                               ElasticPool* pool)
    : local_(NewLocalRendezvous()),
      remote_(std::make_shared<RemoteReceiver>(step_id, pool)),
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
  const std::shared_ptr<const ClusterView> cluster = this->cluster();
  // Feeds and fetches pass between the client and the task they belong to.
  if (src == WorkerEnv::TaskOf(key.dst_device) || src == cluster->task()) {
    return local_->RecvAsync(key, args, std::move(done));
  }
  const std::shared_ptr<Transport> worker = cluster->WorkerOf(src);
  if (worker == nullptr) {
    return done(errors::InvalidArgument("The cluster of ", cluster->task(),
                                        " has no task ", src),
                Args(), args, Tensor(), false);
  }
  remote_->Receive(worker, std::string(key.FullKey()), args, std::move(done));
}

void StepRendezvous::RecvLocalAsync(const ParsedKey& key, DoneCallback done) {
  local_->RecvAsync(key, Args(), std::move(done));
}

void StepRendezvous::StartAbort(const Status& status) {
  local_->StartAbort(status);
  remote_->Abort(status);
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
    entry.rendezvous.reset(
        new StepRendezvous(step_id, env_->cluster, env_->pool.get()));
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
