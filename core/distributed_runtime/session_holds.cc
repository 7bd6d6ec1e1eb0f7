// SPDX-License-Identifier: Apache-2.0
// SessionHolds, SessionHold.
#include "core/distributed_runtime/session_holds.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {

SessionHolds::SessionHolds(absl::Duration lost, absl::Duration idle,
                           GiveUp give_up)
    : lost_(lost),
      idle_(idle),
      give_up_(std::move(give_up)),
      thread_([this] { Loop(); }) {}

SessionHolds::~SessionHolds() {
  Stop();
  thread_.join();
}

void SessionHolds::Add(const std::string& handle) {
  absl::MutexLock lock(&mu_);
  entries_[handle].since = absl::Now();
  changed_.Signal();
}

void SessionHolds::Forget(const std::string& handle) {
  std::shared_ptr<ServerCall> call;
  {
    absl::MutexLock lock(&mu_);
    const auto it = entries_.find(handle);
    if (it == entries_.end()) return;
    call = std::move(it->second.call);
    entries_.erase(it);
  }
  if (call != nullptr) call->Reply(OkStatus());
}

void SessionHolds::Use(const std::string& handle, int change) {
  if (idle_ <= absl::ZeroDuration()) return;
  absl::MutexLock lock(&mu_);
  const auto it = entries_.find(handle);
  if (it == entries_.end()) return;
  it->second.steps += change;
  it->second.since = absl::Now();
  changed_.Signal();
}

void SessionHolds::Hold(const std::string& handle,
                        std::shared_ptr<ServerCall> call) {
  std::shared_ptr<ServerCall> earlier;
  bool known = false;
  {
    absl::MutexLock lock(&mu_);
    const auto it = entries_.find(handle);
    known = it != entries_.end() && !stopped_;
    if (known) {
      earlier = std::exchange(it->second.call, call);
      it->second.was_held = true;
    }
  }
  if (!known) {
    return call->Reply(errors::Aborted("There is no session '", handle, "'"));
  }
  if (earlier != nullptr) {
    earlier->Reply(errors::Aborted("The session is held by another call"));
  }
  call->OnCancel([this, handle, ended = std::weak_ptr<ServerCall>(call)] {
    const std::shared_ptr<ServerCall> call = ended.lock();
    if (call == nullptr) return;
    CallEnded(handle, call.get());
    call->Reply(errors::Cancelled("The call was cancelled"));
  });
}

void SessionHolds::CallEnded(const std::string& handle,
                             const ServerCall* call) {
  absl::MutexLock lock(&mu_);
  const auto it = entries_.find(handle);
  if (it == entries_.end() || it->second.call.get() != call) return;
  it->second.call.reset();
  it->second.since = absl::Now();
  changed_.Signal();
}

void SessionHolds::Stop() {
  std::vector<std::shared_ptr<ServerCall>> calls;
  {
    absl::MutexLock lock(&mu_);
    stopped_ = true;
    for (auto& [handle, entry] : entries_) {
      if (entry.call != nullptr) calls.push_back(std::move(entry.call));
    }
    entries_.clear();
    changed_.Signal();
  }
  for (const auto& call : calls) {
    call->Reply(errors::Cancelled("The server was stopped"));
  }
}

absl::Time SessionHolds::DueAt(const Entry& entry) const {
  if (entry.call != nullptr) return absl::InfiniteFuture();
  if (entry.was_held) return entry.since + lost_;
  if (entry.steps > 0 || idle_ <= absl::ZeroDuration()) {
    return absl::InfiniteFuture();
  }
  return entry.since + idle_;
}

void SessionHolds::Loop() {
  absl::MutexLock lock(&mu_);
  while (!stopped_) {
    const absl::Time now = absl::Now();
    absl::Time next = absl::InfiniteFuture();
    std::vector<std::string> due;
    for (const auto& [handle, entry] : entries_) {
      const absl::Time at = DueAt(entry);
      if (at <= now) {
        due.push_back(handle);
      } else {
        next = std::min(next, at);
      }
    }
    if (due.empty()) {
      changed_.WaitWithDeadline(&mu_, next);
      continue;
    }
    mu_.Unlock();
    for (const std::string& handle : due) {
      LOG(INFO) << "Session " << absl::CEscape(handle)
                << " is ended: its client has not been heard of";
      give_up_(handle);
      Forget(handle);
    }
    mu_.Lock();
  }
}

std::shared_ptr<SessionHold> SessionHold::Start(
    std::shared_ptr<Transport> server, std::string method, absl::Cord request) {
  std::shared_ptr<SessionHold> hold(new SessionHold(
      std::move(server), std::move(method), std::move(request)));
  hold->Call();
  return hold;
}

void SessionHold::Call() {
  CallOptions options;
  options.wait_for_ready = true;
  {
    absl::MutexLock lock(&mu_);
    if (stopped_) return;
    begun_ = absl::Now();
  }
  auto call = server_->Call(
      method_, request_, options,
      [self = shared_from_this()](CallResult r) { self->Ended(r.status); });
  bool cancel = false;
  {
    absl::MutexLock lock(&mu_);
    call_ = call;
    cancel = stopped_;
  }
  if (cancel) call->Cancel();
}

void SessionHold::Ended(const Status& status) {
  // Any other error comes from the server: the session is over, or it does not
  // know the call.
  if (!errors::IsUnavailable(status)) return;
  {
    absl::MutexLock lock(&mu_);
    const bool quick = absl::Now() - begun_ < absl::Seconds(1);
    quick_ends_ = quick ? quick_ends_ + 1 : 0;
    if (stopped_ || quick_ends_ > kMaxQuickEnds) return;
  }
  Call();
}

void SessionHold::Stop() {
  std::shared_ptr<ClientCall> call;
  {
    absl::MutexLock lock(&mu_);
    if (stopped_) return;
    stopped_ = true;
    call = std::move(call_);
  }
  if (call != nullptr) call->Cancel();
}

}  // namespace tensorwright
