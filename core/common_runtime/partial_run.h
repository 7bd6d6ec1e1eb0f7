// SPDX-License-Identifier: Apache-2.0
// PartialRun: one step that its caller feeds and fetches in pieces.
//
// The step's graph has a _Recv in the place of each feed and a _Send in that of
// each fetch.  All of it is started at once; nodes that need a feed wait for
// the step's Rendezvous, into which pieces put values and from which they take
// them.  So every node runs once, as in an ordinary run.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_PARTIAL_RUN_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_PARTIAL_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "core/common_runtime/device.h"
#include "core/common_runtime/plan.h"
#include "core/common_runtime/run_state.h"
#include "core/framework/rendezvous.h"
#include "core/framework/tensor.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Replaces the feeds and fetches of a pruned and placed graph; values pass
// through `client`.  The _Recv of a feed and the _Send of a fetch are on the
// devices of the nodes that they replace.
Status CutForPieces(const DeviceInfo& client, Graph* graph);

// The keys under which feeds are received and fetches are sent.
std::string FeedKey(const DeviceInfo& client, int feed);
std::string FetchKey(const DeviceInfo& client, int fetch);

// For each fetch of a pruned graph, the feeds that it needs.
std::vector<std::vector<int>> FeedsNeeded(const Graph& graph, int num_fetches);

// Thread safe; pieces from several threads take turns.
class PartialRun {
 public:
  // `plan` was compiled for pieces (PlanOptions::in_pieces).
  PartialRun(std::shared_ptr<const Plan> plan, int64_t step_id,
             const Device* client);
  // Cancels the step if it still runs, and waits for it.
  ~PartialRun();

  // Starts the step and returns at once.
  void Start();

  // Feeds some of the plan's feeds and waits for some of its fetches.
  //   InvalidArgument: a feed or fetch that has been given or taken before, or
  //   a fetch that needs a feed which is still to come; nothing has happened
  //   then.  Any other failure is that of the step and ends it.
  // `interrupted`, if there is one, is polled; true cancels the step.
  Status RunPiece(absl::Span<const int> feeds, absl::Span<const Tensor> values,
                  absl::Span<const int> fetches, std::vector<Tensor>* fetched,
                  const std::function<bool()>& interrupted);

  const Plan& plan() const { return *plan_; }

  // Everything has been fed and fetched, or the step has failed.
  bool is_over() const;

  // Fails the step with `status`, if it still runs, and waits for its end.
  void Cancel(const Status& status);

 private:
  // A piece waits for this; callbacks may come after it has given up.
  struct Received;

  Status CheckPiece(absl::Span<const int> feeds,
                    absl::Span<const int> fetches) const;
  // Asks for the values of a piece's fetches.
  std::shared_ptr<Received> Receive(absl::Span<const int> fetches)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::shared_ptr<const Plan> plan_;
  const Device* const client_;
  // The running piece's hook to poll, or null.  The step polls through the hook
  // while this thread runs its kernels; set and polled by one thread.
  const std::function<bool()>* interrupted_ = nullptr;
  const std::function<bool()> hook_ = [this] {
    return interrupted_ != nullptr && *interrupted_ && (*interrupted_)();
  };
  RunState state_;
  RunArgs args_;

  mutable absl::Mutex mu_;  // Held by the piece that runs.
  std::vector<bool> fed_ ABSL_GUARDED_BY(mu_);
  std::vector<bool> fetched_ ABSL_GUARDED_BY(mu_);
  bool is_over_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_PARTIAL_RUN_H_
