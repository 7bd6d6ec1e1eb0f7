// SPDX-License-Identifier: Apache-2.0
// RemoteReceiver.
#include "core/distributed_runtime/remote_receiver.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {

void RemoteReceiver::Receive(const std::shared_ptr<Transport>& worker,
                             std::string key, const Rendezvous::Args& args,
                             Rendezvous::DoneCallback done) {
  Status status;
  bool flush = false;
  {
    absl::MutexLock lock(&mu_);
    status = aborted_;
    if (status.ok()) {
      pending_[worker].push_back({std::move(key), args, std::move(done)});
      flush = !std::exchange(flushing_, true);
    }
  }
  if (!status.ok()) {
    return done(status, Rendezvous::Args(), args, Tensor(), false);
  }
  // More requests may come before a thread of the pool takes this up.
  if (flush) pool_->Schedule([self = shared_from_this()] { self->Flush(); });
}

void RemoteReceiver::Flush() {
  std::map<std::shared_ptr<Transport>, std::vector<Wanted>> pending;
  {
    absl::MutexLock lock(&mu_);
    flushing_ = false;
    pending.swap(pending_);
  }
  for (auto& [worker, wanted] : pending) {
    for (size_t begin = 0; begin < wanted.size(); begin += kMaxKeys) {
      const size_t end = std::min(begin + kMaxKeys, wanted.size());
      Ask(worker, {std::make_move_iterator(wanted.begin() + begin),
                   std::make_move_iterator(wanted.begin() + end)});
    }
  }
}

void RemoteReceiver::Ask(const std::shared_ptr<Transport>& worker,
                         std::vector<Wanted> wanted) {
  RecvTensorsRequest request;
  request.set_step_id(step_id_);
  const auto batch = std::make_shared<Batch>();
  batch->worker = worker;
  std::vector<Wanted> again;
  Status status;
  {
    absl::MutexLock lock(&mu_);
    status = aborted_;
    if (status.ok()) {
      for (Wanted& one : wanted) {
        const std::string key = one.key;
        // One call does not ask for the same key twice.
        if (batch->wanted.contains(key)) {
          again.push_back(std::move(one));
        } else {
          batch->wanted.emplace(key, std::move(one));
        }
      }
      for (const auto& [key, one] : batch->wanted) {
        request.add_rendezvous_key(key);
      }
      batches_.insert(batch);
    }
  }
  if (!status.ok()) return Fail(std::move(wanted), status);
  for (Wanted& one : again) {
    Receive(worker, std::move(one.key), one.args, std::move(one.done));
  }
  const auto call = worker->Call(
      absl::StrCat(kWorkerService, kRecvTensors), Encode(request),
      CallOptions(), [self = shared_from_this(), batch](CallResult result) {
        self->Answered(batch, result);
      });
  bool cancel = false;
  {
    absl::MutexLock lock(&mu_);
    batch->call = call;
    cancel = !aborted_.ok();
  }
  // An abort came before there was anything to cancel.
  if (cancel) call->Cancel();
}

void RemoteReceiver::Answered(const std::shared_ptr<Batch>& batch,
                              const CallResult& result) {
  Status status = result.status;
  RecvTensorsResponse response;
  std::vector<NamedTensor> tensors;
  if (status.ok()) {
    status = DecodeWithNamedTensors(result.body,
                                    RecvTensorsResponse::kTensorFieldNumber,
                                    &response, &tensors);
  }
  std::vector<std::pair<Wanted, Tensor>> alive;
  std::vector<Wanted> dead, rest;
  {
    absl::MutexLock lock(&mu_);
    batches_.erase(batch);
    auto& wanted = batch->wanted;
    for (NamedTensor& got : tensors) {
      auto one = wanted.extract(got.name);
      if (!one.empty()) {
        alive.emplace_back(std::move(one.mapped()), std::move(got.value));
      }
    }
    for (const std::string& key : response.dead_key()) {
      auto one = wanted.extract(key);
      if (!one.empty()) dead.push_back(std::move(one.mapped()));
    }
    for (auto& [key, one] : wanted) rest.push_back(std::move(one));
    wanted.clear();
  }
  if (status.ok() && alive.empty() && dead.empty()) {
    status = errors::Internal("A ", kRecvTensors, " was answered with nothing");
  }
  // This comes first, so that the other end may go on; it runs in this thread,
  // which is awake.
  if (status.ok() && !rest.empty()) {
    Ask(batch->worker, std::exchange(rest, {}));
  }
  for (auto& [one, value] : alive) {
    one.done(OkStatus(), Rendezvous::Args(), one.args, value, false);
  }
  for (const Wanted& one : dead) {
    one.done(OkStatus(), Rendezvous::Args(), one.args, Tensor(), true);
  }
  Fail(std::move(rest), status);
}

void RemoteReceiver::Abort(const Status& status) {
  std::vector<Wanted> waiting;
  std::vector<std::shared_ptr<ClientCall>> calls;
  {
    absl::MutexLock lock(&mu_);
    aborted_.Update(status);
    for (auto& [worker, wanted] : pending_) {
      std::move(wanted.begin(), wanted.end(), std::back_inserter(waiting));
    }
    pending_.clear();
    for (const std::shared_ptr<Batch>& batch : batches_) {
      for (auto& [key, one] : batch->wanted) waiting.push_back(std::move(one));
      batch->wanted.clear();
      if (batch->call != nullptr) calls.push_back(batch->call);
    }
    batches_.clear();
  }
  for (const auto& call : calls) call->Cancel();
  Fail(std::move(waiting), status);
}

void RemoteReceiver::Fail(std::vector<Wanted> wanted, const Status& status) {
  for (const Wanted& one : wanted) {
    one.done(status, Rendezvous::Args(), one.args, Tensor(), false);
  }
}

}  // namespace tensorwright
