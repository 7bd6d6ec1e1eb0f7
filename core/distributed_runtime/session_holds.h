// SPDX-License-Identifier: Apache-2.0
// Tells which sessions of a server somebody still wants.
//
// A client of a session keeps a call open at the server while the session
// lives: HoldSession.  When the client's process dies, so does the connection,
// and with it the call; the session is given up unless another call for it
// comes within a while, as happens after the network was cut.  The connection
// is tried by pings, so a machine that is gone is noticed, too.
//
// TensorFlow's clients do not know that call.  Their sessions at a master are
// given up after a time without steps, if the server was given such a time.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_SESSION_HOLDS_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_SESSION_HOLDS_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/cord.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/distributed_runtime/rpc.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The server's side.  Thread safe.
class SessionHolds {
 public:
  using GiveUp = std::function<void(const std::string& handle)>;

  // `give_up` is called, from a thread of this, for a session that was lost for
  // `lost`, or that was never held and not used for `idle` (0: never).  It must
  // end in a Forget.
  SessionHolds(absl::Duration lost, absl::Duration idle, GiveUp give_up);
  // Answers the open calls.
  ~SessionHolds();

  // Tells that a session has begun.
  void Add(const std::string& handle);
  // Tells that a session is over; answers its call.
  void Forget(const std::string& handle);
  // Tells that a step of it begins (+1) or ends (-1).
  void Use(const std::string& handle, int change);
  // Keeps the call open.  Answers it with Aborted if there is no such session.
  void Hold(const std::string& handle, std::shared_ptr<ServerCall> call);
  // Answers all calls, also those that come later.
  void Stop();

 private:
  struct Entry {
    std::shared_ptr<ServerCall> call;
    bool was_held = false;
    int steps = 0;
    // The time since when it has been without a call, or without a step.
    absl::Time since;
  };
  void CallEnded(const std::string& handle, const ServerCall* call);
  // The time at which the entry must be given up; never while it is held or
  // used.
  absl::Time DueAt(const Entry& entry) const;
  void Loop();

  const absl::Duration lost_;
  const absl::Duration idle_;
  const GiveUp give_up_;
  absl::Mutex mu_;
  absl::CondVar changed_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

// The client's side: keeps a HoldSession open, and opens it again after the
// connection broke, until Stop.  A server that does not know the call is left
// alone.  Thread safe.
class SessionHold : public std::enable_shared_from_this<SessionHold> {
 public:
  // `request` names the session.
  static std::shared_ptr<SessionHold> Start(std::shared_ptr<Transport> server,
                                            std::string method,
                                            absl::Cord request);
  void Stop();

 private:
  SessionHold(std::shared_ptr<Transport> server, std::string method,
              absl::Cord request)
      : server_(std::move(server)),
        method_(std::move(method)),
        request_(std::move(request)) {}
  void Call();
  void Ended(const Status& status);

  // Gives up after this many quick ends in a row, since a server may end calls
  // as fast as they come.
  static constexpr int kMaxQuickEnds = 100;

  const std::shared_ptr<Transport> server_;
  const std::string method_;
  const absl::Cord request_;
  absl::Mutex mu_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  absl::Time begun_ ABSL_GUARDED_BY(mu_);
  int quick_ends_ ABSL_GUARDED_BY(mu_) = 0;
  std::shared_ptr<ClientCall> call_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_SESSION_HOLDS_H_
