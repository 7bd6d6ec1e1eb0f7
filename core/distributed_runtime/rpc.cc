// SPDX-License-Identifier: Apache-2.0
// Threads, calls that wait, and calls inside one process.
#include "core/distributed_runtime/rpc.h"

#include <thread>
#include <utility>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr absl::Duration kIdleTime = absl::Seconds(10);
constexpr absl::Duration kPollInterval = absl::Milliseconds(10);

// Both ends of a call inside one process.
class InProcessCall final : public ServerCall {
 public:
  InProcessCall(absl::string_view method, absl::Cord request,
                const CallOptions& options, Transport::Done done)
      : method_(method),
        request_(std::move(request)),
        deadline_(options.deadline),
        runner_(options.runner),
        done_(std::move(done)) {}
  ~InProcessCall() override {
    if (!replied()) {
      Send(errors::Internal("The call was not answered"), absl::Cord());
    }
  }

  absl::string_view method() const override { return method_; }
  const absl::Cord& request() const override { return request_; }
  absl::Time deadline() const override { return deadline_; }
  bool from_tensorwright() const override { return true; }
  void Cancel() { Cancelled(); }
  void Schedule(ElasticPool* pool, std::function<void()> work) override {
    if (runner_) return runner_(std::move(work));
    pool->Schedule(std::move(work));
  }

 private:
  void Send(const Status& status, absl::Cord body) override {
    CallResult result;
    result.status = status;
    result.body = std::move(body);
    result.from_tensorwright = true;
    const Transport::Done done = std::move(done_);
    done(std::move(result));
  }

  const std::string method_;
  const absl::Cord request_;
  const absl::Time deadline_;
  const std::function<void(std::function<void()>)> runner_;
  Transport::Done done_;
};

class InProcessClientCall final : public ClientCall {
 public:
  explicit InProcessClientCall(const std::shared_ptr<InProcessCall>& call)
      : call_(call) {}
  void Cancel() override {
    if (const auto call = call_.lock()) call->Cancel();
  }

 private:
  const std::weak_ptr<InProcessCall> call_;
};

class InProcessTransport final : public Transport {
 public:
  explicit InProcessTransport(Service* service) : service_(service) {}

  std::shared_ptr<ClientCall> Call(absl::string_view method, absl::Cord request,
                                   const CallOptions& options,
                                   Done done) override {
    const auto call = std::make_shared<InProcessCall>(
        method, std::move(request), options, std::move(done));
    auto client = std::make_shared<InProcessClientCall>(call);
    service_->Handle(call);
    return client;
  }

 private:
  Service* const service_;
};

}  // namespace

ElasticPool::~ElasticPool() {
  absl::MutexLock lock(&mu_);
  ending_ = true;
  changed_.SignalAll();
  while (threads_ > 0) changed_.Wait(&mu_);
}

void ElasticPool::Drain() {
  absl::MutexLock lock(&mu_);
  const auto idle = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return tasks_.empty() && threads_ == idle_;
  };
  mu_.Await(absl::Condition(&idle));
}

void ElasticPool::Schedule(std::function<void()> task) {
  absl::MutexLock lock(&mu_);
  tasks_.push_back(std::move(task));
  if (idle_ >= static_cast<int>(tasks_.size()) || threads_ >= max_threads_) {
    changed_.Signal();
    return;
  }
  ++threads_;
  std::thread([this] { Loop(); }).detach();
}

void ElasticPool::Loop() {
  absl::MutexLock lock(&mu_);
  for (;;) {
    if (!tasks_.empty()) {
      {
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        mu_.Unlock();
        task();
      }
      mu_.Lock();
      continue;
    }
    if (ending_) break;
    ++idle_;
    const bool timed_out = changed_.WaitWithTimeout(&mu_, kIdleTime);
    --idle_;
    if (timed_out && tasks_.empty()) break;
  }
  --threads_;
  // The destructor's thread waits with the idle ones.
  if (ending_) changed_.SignalAll();
}

CallResult Transport::CallAndWait(absl::string_view method, absl::Cord request,
                                  const CallOptions& options,
                                  const std::function<bool()>& interrupted) {
  struct State {
    absl::Mutex mu;
    bool over ABSL_GUARDED_BY(mu) = false;
    CallResult result ABSL_GUARDED_BY(mu);
  };
  const auto state = std::make_shared<State>();
  const std::shared_ptr<ClientCall> call =
      Call(method, std::move(request), options, [state](CallResult result) {
        absl::MutexLock lock(&state->mu);
        state->result = std::move(result);
        state->over = true;
      });
  bool cancelled = false;
  for (;;) {
    {
      absl::MutexLock lock(&state->mu);
      const absl::Condition over(&state->over);
      if (interrupted == nullptr || cancelled) {
        state->mu.Await(over);
      } else {
        state->mu.AwaitWithTimeout(over, kPollInterval);
      }
      if (state->over) return std::move(state->result);
    }
    if (interrupted()) {
      cancelled = true;
      call->Cancel();
    }
  }
}

void ServerCall::Reply(const Status& status, absl::Cord body) {
  {
    absl::MutexLock lock(&mu_);
    if (replied_) return;
    replied_ = true;
    on_cancel_ = nullptr;
  }
  Send(status, std::move(body));
}

bool ServerCall::replied() const {
  absl::MutexLock lock(&mu_);
  return replied_;
}

void ServerCall::OnCancel(std::function<void()> cancelled) {
  {
    absl::MutexLock lock(&mu_);
    if (replied_) return;
    if (!cancelled_) {
      on_cancel_ = std::move(cancelled);
      return;
    }
  }
  cancelled();
}

void ServerCall::ForgetCancel() {
  absl::MutexLock lock(&mu_);
  on_cancel_ = nullptr;
  const auto ended = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return !in_callback_;
  };
  mu_.Await(absl::Condition(&ended));
}

void ServerCall::Cancelled() {
  std::function<void()> callback;
  {
    absl::MutexLock lock(&mu_);
    if (cancelled_ || replied_) return;
    cancelled_ = true;
    callback = std::move(on_cancel_);
    on_cancel_ = nullptr;
    in_callback_ = callback != nullptr;
  }
  if (callback == nullptr) return;
  callback();
  callback = nullptr;
  absl::MutexLock lock(&mu_);
  in_callback_ = false;
}

std::unique_ptr<Transport> NewInProcessTransport(Service* service) {
  return std::make_unique<InProcessTransport>(service);
}

}  // namespace tensorwright
