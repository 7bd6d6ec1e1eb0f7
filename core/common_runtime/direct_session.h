// SPDX-License-Identifier: Apache-2.0
// DirectSession: runs parts of a LiveGraph on the devices of this process.
//
//   auto session = DirectSession::Create(graph, config);
//   auto plan = session->GetPlan({feeds, fetches, targets});
//   session->Run(*plan, nullptr, feed_tensors, &fetched, nullptr, {});
//
// A session owns its devices, and through their resource managers the values of
// variables; two sessions on one graph share nothing but the graph.
//
// Threads: every method may be called from many threads at once.  Runs of one
// plan proceed concurrently.  Close() cancels the runs in progress, waits for
// them, and makes later calls fail with Cancelled.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DIRECT_SESSION_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DIRECT_SESSION_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "core/common_runtime/plan.h"
#include "core/framework/tensor.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class ConfigProto;
class DeviceAttributes;
class RunMetadata;
class RunOptions;

struct RunHooks {
  // Polled at most every ~10 ms on the thread that called Run; true cancels the
  // run, which then fails with Cancelled.  May take the GIL.
  std::function<bool()> interrupted;
};

class DirectSession {
 public:
  static StatusOr<std::unique_ptr<DirectSession>> Create(
      std::shared_ptr<LiveGraph> graph, const ConfigProto& config);
  ~DirectSession();

  // Compiled once per signature and graph mutation, cached.  Fails as pruning,
  // placement and kernel construction do; a feed or fetch twice is fine for
  // fetches and InvalidArgument for feeds.
  StatusOr<std::shared_ptr<const Plan>> GetPlan(const RunSignature& signature);

  // False when a change to old nodes of the graph has made `plan` stale: ask
  // GetPlan again.  Cheap; growth of the graph leaves plans current.
  bool IsCurrent(const Plan& plan) const;

  // `feeds` in the order of the signature; dtype and shape are checked.  On
  // success `fetches` has one tensor per fetch.  A fetched tensor whose
  // RefCountIsOne() belongs to the caller alone; any other shares its buffer
  // with a constant, a variable, a feed or another fetch and must be copied
  // before anybody writes to it.  On failure the Status names the node
  // (errors::FailedNode) and the session stays usable.  `options` and
  // `metadata` may be null.
  Status Run(const Plan& plan, const RunOptions* options,
             absl::Span<const Tensor> feeds, std::vector<Tensor>* fetches,
             RunMetadata* metadata, const RunHooks& hooks);

  // A step that is fed and fetched in pieces (partial_run.h); the result names
  // it.  It is over when all feeds are fed and all fetches fetched, when it
  // fails, or when the session is closed.
  StatusOr<int64_t> PartialRunSetup(const RunSignature& signature,
                                    std::vector<FeedSpec>* feeds);
  // `feeds` and `fetches` are places in the signature.  InvalidArgument for a
  // step that is over.  Fetched tensors as of Run.
  Status RunPiece(int64_t handle, absl::Span<const int> feeds,
                  absl::Span<const Tensor> values,
                  absl::Span<const int> fetches, std::vector<Tensor>* fetched,
                  const RunHooks& hooks);

  Status ListDevices(std::vector<DeviceAttributes>* devices) const;

  // Drops all resources (variables) in the named containers, or the default
  // container when the list is empty.
  Status Reset(absl::Span<const std::string> containers);

  Status Close();

 private:
  struct Impl;
  explicit DirectSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DIRECT_SESSION_H_
