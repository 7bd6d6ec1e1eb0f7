// SPDX-License-Identifier: Apache-2.0
// Calls between processes, carried by gRPC (grpc_transport.h, grpc_server.h),
// or by plain function calls if both ends are in one process.
//
// A request and its answer are cords of bytes (wire.h).  A Service answers the
// calls of all its methods; a Transport leads to one server.  Nothing here
// knows what the bytes mean.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_RPC_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_RPC_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Threads for work that may wait: as many as there are tasks at the same time,
// at most `max_threads`; beyond that, work queues up.  An idle thread ends
// after a while.  Thread safe.  The destructor waits for the scheduled work.
class ElasticPool {
 public:
  explicit ElasticPool(int max_threads = 1024) : max_threads_(max_threads) {}
  ~ElasticPool();

  void Schedule(std::function<void()> task);
  // Waits until there is nothing left to do.
  void Drain();

 private:
  void Loop();

  const int max_threads_;
  absl::Mutex mu_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mu_);
  int threads_ ABSL_GUARDED_BY(mu_) = 0;
  int idle_ ABSL_GUARDED_BY(mu_) = 0;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
};

struct CallOptions {
  absl::Time deadline = absl::InfiniteFuture();
  // Waits for a server that is not there yet, instead of failing at once.
  bool wait_for_ready = false;
  // Runs work in a thread of the caller's, which waits for the answer anyway.
  // Only services of this process use it.
  std::function<void(std::function<void()> work)> runner;
};

struct CallResult {
  // The server's status, or Unavailable if no server answered.
  Status status;
  absl::Cord body;
  // Is the server one of this runtime?  Known only if the server answered.
  bool from_tensorwright = false;
};

// A call that has begun.  Thread safe.
class ClientCall {
 public:
  virtual ~ClientCall() = default;
  // The call ends soon, with Cancelled unless it was over.
  virtual void Cancel() = 0;
};

// Leads to one server.  Thread safe; it may be destroyed while calls are in
// progress.
class Transport {
 public:
  using Done = std::function<void(CallResult result)>;
  virtual ~Transport() = default;

  // Calls `done` once, from any thread, perhaps before this returns.  `done`
  // must not wait for other calls.
  virtual std::shared_ptr<ClientCall> Call(absl::string_view method,
                                           absl::Cord request,
                                           const CallOptions& options,
                                           Done done) = 0;

  // Waits for the answer.  `interrupted`, unless null, is polled in this
  // thread; true cancels the call.
  CallResult CallAndWait(absl::string_view method, absl::Cord request,
                         const CallOptions& options,
                         const std::function<bool()>& interrupted = nullptr);
};

// A call as its server sees it.  Thread safe.  The code that answers it holds a
// reference until then; if the call is destroyed without an answer, the answer
// is Internal.
class ServerCall {
 public:
  virtual ~ServerCall() = default;

  // "/tensorflow.WorkerService/RunGraph"
  virtual absl::string_view method() const = 0;
  virtual const absl::Cord& request() const = 0;
  virtual absl::Time deadline() const = 0;
  virtual bool from_tensorwright() const = 0;

  // The first answer counts.
  void Reply(const Status& status, absl::Cord body = absl::Cord());

  // `cancelled` is called once if the client gives up, immediately if it has
  // done so, and never after the answer or ForgetCancel.  It is called without
  // locks, and ForgetCancel waits for it.
  void OnCancel(std::function<void()> cancelled);
  void ForgetCancel();

  // Lets the caller's runner, if there is one in this process, or else `pool`
  // run `work`, which may wait and then answers the call.
  virtual void Schedule(ElasticPool* pool, std::function<void()> work) {
    pool->Schedule(std::move(work));
  }

 protected:
  virtual void Send(const Status& status, absl::Cord body) = 0;
  // The client gave up.
  void Cancelled();
  bool replied() const;

 private:
  mutable absl::Mutex mu_;
  std::function<void()> on_cancel_ ABSL_GUARDED_BY(mu_);
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
  bool in_callback_ ABSL_GUARDED_BY(mu_) = false;
  bool replied_ ABSL_GUARDED_BY(mu_) = false;
};

// Thread safe.  Answers from any thread; the thread of Handle belongs to the
// network and must not wait.
class Service {
 public:
  virtual ~Service() = default;
  virtual void Handle(std::shared_ptr<ServerCall> call) = 0;
};

// Leads to a service of this process, which outlives the calls.
std::unique_ptr<Transport> NewInProcessTransport(Service* service);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_RPC_H_
