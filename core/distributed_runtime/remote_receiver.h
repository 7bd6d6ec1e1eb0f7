// SPDX-License-Identifier: Apache-2.0
// RemoteReceiver: asks other tasks for the tensors that one step needs.
//
// The tensors that a step wants from a task at about the same time are asked
// for in one call (RecvTensors).  The answer has those that exist by then, at
// least one; another call asks for the rest.  So many small tensors take few
// messages, and no tensor waits for one that is made later.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_REMOTE_RECEIVER_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_REMOTE_RECEIVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "core/distributed_runtime/rpc.h"
#include "core/framework/rendezvous.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Made by make_shared: calls in progress keep it.  Thread safe.
class RemoteReceiver : public std::enable_shared_from_this<RemoteReceiver> {
 public:
  // `pool` outlives it.
  RemoteReceiver(int64_t step_id, ElasticPool* pool)
      : step_id_(step_id), pool_(pool) {}

  // `done` is called once, with the value that the task sent under the key, or
  // with the failure of the call or of Abort.
  void Receive(const std::shared_ptr<Transport>& worker, std::string key,
               const Rendezvous::Args& args, Rendezvous::DoneCallback done);
  // Ends all pending requests, and later ones, with `status`.
  void Abort(const Status& status);

 private:
  struct Wanted {
    std::string key;
    Rendezvous::Args args;
    Rendezvous::DoneCallback done;
  };
  struct Batch {
    std::shared_ptr<Transport> worker;
    absl::flat_hash_map<std::string, Wanted> wanted;
    std::shared_ptr<ClientCall> call;
  };
  // One call has no more keys than this.
  static constexpr size_t kMaxKeys = 256;

  void Flush();
  void Ask(const std::shared_ptr<Transport>& worker,
           std::vector<Wanted> wanted);
  void Answered(const std::shared_ptr<Batch>& batch, const CallResult& result);
  static void Fail(std::vector<Wanted> wanted, const Status& status);

  const int64_t step_id_;
  ElasticPool* const pool_;
  absl::Mutex mu_;
  Status aborted_ ABSL_GUARDED_BY(mu_);
  bool flushing_ ABSL_GUARDED_BY(mu_) = false;
  // The tensors that the next Flush asks for.
  std::map<std::shared_ptr<Transport>, std::vector<Wanted>> pending_
      ABSL_GUARDED_BY(mu_);
  // The calls in progress.  mu_ guards their wanted tensors, too.
  absl::flat_hash_set<std::shared_ptr<Batch>> batches_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_REMOTE_RECEIVER_H_
