// SPDX-License-Identifier: Apache-2.0
// Rendezvous keys, and the rendezvous of one process.
#include "core/framework/rendezvous.h"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "core/framework/cancellation.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

Rendezvous::ParsedKey& Rendezvous::ParsedKey::operator=(
    const ParsedKey& other) {
  if (this == &other) return *this;
  buf_ = other.buf_;
  // Points to the same place in the new buffer.
  auto moved = [&](absl::string_view piece) {
    return piece.data() == nullptr
               ? absl::string_view()
               : absl::string_view(buf_).substr(
                     piece.data() - other.buf_.data(), piece.size());
  };
  src_device = moved(other.src_device);
  src_incarnation = other.src_incarnation;
  dst_device = moved(other.dst_device);
  edge_name = moved(other.edge_name);
  frame_and_iter = other.frame_and_iter;
  return *this;
}

std::string Rendezvous::CreateKey(absl::string_view src_device,
                                  uint64_t src_incarnation,
                                  absl::string_view dst_device,
                                  absl::string_view edge_name,
                                  const FrameAndIter& frame_iter) {
  return absl::StrCat(src_device, ";",
                      absl::Hex(src_incarnation, absl::kZeroPad16), ";",
                      dst_device, ";", edge_name, ";", frame_iter.frame_id, ":",
                      frame_iter.iter_id);
}

Status Rendezvous::ParseKey(absl::string_view key, ParsedKey* out) {
  if (key.data() != out->buf_.data()) out->buf_.assign(key.data(), key.size());
  absl::string_view rest = out->buf_;
  std::array<absl::string_view, 5> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t end = rest.find(';');
    if ((end == absl::string_view::npos) != (i + 1 == parts.size())) {
      return errors::InvalidArgument("Rendezvous key '", key,
                                     "' must have five parts");
    }
    parts[i] = rest.substr(0, end);
    if (i + 1 < parts.size()) rest.remove_prefix(end + 1);
  }
  const size_t colon = parts[4].find(':');
  if (parts[0].empty() || parts[2].empty() || parts[3].empty() ||
      !absl::SimpleHexAtoi(parts[1], &out->src_incarnation) ||
      colon == absl::string_view::npos ||
      !absl::SimpleAtoi(parts[4].substr(0, colon),
                        &out->frame_and_iter.frame_id) ||
      !absl::SimpleAtoi(parts[4].substr(colon + 1),
                        &out->frame_and_iter.iter_id)) {
    return errors::InvalidArgument(
        "Rendezvous key '", key,
        "' must be SOURCE;INCARNATION;DESTINATION;EDGE;FRAME:ITERATION");
  }
  out->src_device = parts[0];
  out->dst_device = parts[2];
  out->edge_name = parts[3];
  return OkStatus();
}

Status Rendezvous::Recv(const ParsedKey& key, const Args& args, Tensor* value,
                        bool* is_dead, int64_t timeout_ms) {
  // Shared, because the value may come after the wait was given up.
  struct Result {
    Status status;
    Tensor value;
    bool is_dead = false;
    absl::Notification done;
  };
  auto result = std::make_shared<Result>();
  RecvAsync(key, args,
            [result](const Status& s, const Args&, const Args&, const Tensor& v,
                     bool dead) {
              result->status = s;
              result->value = v;
              result->is_dead = dead;
              result->done.Notify();
            });
  if (timeout_ms <= 0) {
    result->done.WaitForNotification();
  } else if (!result->done.WaitForNotificationWithTimeout(
                 absl::Milliseconds(timeout_ms))) {
    return errors::DeadlineExceeded("Nothing came for '", key.FullKey(),
                                    "' within ", timeout_ms, " ms");
  }
  *value = result->value;
  *is_dead = result->is_dead;
  return result->status;
}

Status Rendezvous::Recv(const ParsedKey& key, const Args& args, Tensor* value,
                        bool* is_dead) {
  return Recv(key, args, value, is_dead, /*timeout_ms=*/0);
}

namespace {

class LocalRendezvous final : public Rendezvous {
 public:
  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override {
    Waiter waiter;
    {
      absl::MutexLock lock(&mu_);
      if (!status_.ok()) return status_;
      Queue& queue = queues_[Key(key)];
      if (queue.waiters.empty()) {
        queue.values.push_back(Value{args, value, is_dead});
        return OkStatus();
      }
      waiter = std::move(queue.waiters.front());
      queue.waiters.pop_front();
      if (queue.waiters.empty()) queues_.erase(Key(key));
    }
    Release(waiter);
    waiter.done(OkStatus(), args, waiter.args, value, is_dead);
    return OkStatus();
  }

  void RecvAsync(const ParsedKey& key, const Args& args,
                 DoneCallback done) override {
    Status status;
    Value value;
    bool found = false;
    {
      absl::MutexLock lock(&mu_);
      status = status_;
      if (status.ok()) {
        auto it = queues_.find(Key(key));
        if (it != queues_.end() && !it->second.values.empty()) {
          value = std::move(it->second.values.front());
          it->second.values.pop_front();
          if (it->second.values.empty()) queues_.erase(it);
          found = true;
        }
      }
      if (status.ok() && !found) {
        status = AddWaiter(std::string(Key(key)), args, &done);
        if (status.ok()) return;
      }
    }
    done(status, value.args, args, value.tensor, value.is_dead);
  }

  void StartAbort(const Status& status) override {
    absl::flat_hash_map<std::string, Queue> queues;
    Status reason;
    {
      absl::MutexLock lock(&mu_);
      status_.Update(
          status.ok() ? errors::Internal("Rendezvous aborted without a reason")
                      : status);
      reason = status_;
      queues.swap(queues_);
    }
    for (auto& [key, queue] : queues) {
      for (Waiter& waiter : queue.waiters) {
        Release(waiter);
        waiter.done(reason, Args(), waiter.args, Tensor(), false);
      }
    }
  }

 private:
  struct Value {
    Args args;
    Tensor tensor;
    bool is_dead = false;
  };
  struct Waiter {
    Args args;
    DoneCallback done;
    CancellationToken token = CancellationManager::kInvalidToken;
  };
  // At most one of the two is not empty.
  struct Queue {
    std::deque<Value> values;
    std::deque<Waiter> waiters;
  };

  ~LocalRendezvous() override = default;

  static absl::string_view Key(const ParsedKey& key) { return key.FullKey(); }

  // Takes *done unless it fails: the run is cancelled already.
  Status AddWaiter(std::string key, const Args& args, DoneCallback* done)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    Waiter waiter;
    waiter.args = args;
    CancellationManager* manager = args.cancellation_manager;
    if (manager != nullptr) {
      waiter.token = manager->get_cancellation_token();
      // The code that takes the waiter out gives the reference back.
      Ref();
      if (!manager->RegisterCallback(
              waiter.token,
              [this, key, token = waiter.token] { Cancel(key, token); })) {
        Unref();
        return errors::Cancelled("The run was cancelled before '", key,
                                 "' came");
      }
    }
    waiter.done = std::move(*done);
    queues_[key].waiters.push_back(std::move(waiter));
    return OkStatus();
  }

  // A waiter that was taken out need not hear of a cancellation.
  void Release(const Waiter& waiter) {
    if (waiter.args.cancellation_manager == nullptr) return;
    // If cancelling has begun, Cancel() finds nothing and gives back the
    // reference itself.
    if (waiter.args.cancellation_manager->TryDeregisterCallback(waiter.token)) {
      Unref();
    }
  }

  // The cancellation callback of one waiter.
  void Cancel(const std::string& key, CancellationToken token) {
    Waiter waiter;
    bool found = false;
    {
      absl::MutexLock lock(&mu_);
      auto it = queues_.find(key);
      if (it != queues_.end()) {
        auto& waiters = it->second.waiters;
        for (auto w = waiters.begin(); w != waiters.end(); ++w) {
          if (w->token != token) continue;
          waiter = std::move(*w);
          waiters.erase(w);
          found = true;
          break;
        }
        if (found && waiters.empty()) queues_.erase(it);
      }
    }
    if (found) {
      waiter.done(errors::Cancelled("The run was cancelled while waiting for '",
                                    key, "'"),
                  Args(), waiter.args, Tensor(), false);
    }
    Unref();
  }

  absl::Mutex mu_;
  Status status_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, Queue> queues_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

Rendezvous* NewLocalRendezvous() { return new LocalRendezvous; }

}  // namespace tensorwright
