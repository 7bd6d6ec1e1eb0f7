// SPDX-License-Identifier: Apache-2.0
// DirectSession: runs parts of a LiveGraph on the devices of this process.
//
//   auto session = DirectSession::New(graph, config);
//   auto plan = session->GetPlan({feeds, fetches, targets});
//   session->RunCallable(*plan, nullptr, feed_tensors, &fetched, nullptr, {});
//
// A session owns its devices, and through their resource managers the values of
// variables; two sessions on one graph share nothing but the graph.  Its
// Callables are Plans.
//
// Threads and failures: those of Session.  Runs of one plan proceed
// concurrently.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DIRECT_SESSION_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DIRECT_SESSION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/common_runtime/plan.h"
#include "core/common_runtime/session.h"
#include "core/framework/tensor.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class SessionPolicy;

class DirectSession final : public Session {
 public:
  // InvalidArgument for a config that makes no sense.
  static StatusOr<std::unique_ptr<DirectSession>> New(
      std::shared_ptr<LiveGraph> graph, const ConfigProto& config);
  ~DirectSession() override;

  // The plan behind MakeCallable's result, for callers that have the nodes.
  StatusOr<std::shared_ptr<const Plan>> GetPlan(
      const NodeSignature& signature, const RunHooks& hooks = RunHooks());
  // The signature of `plan`, a plan of this session, compiled anew and not
  // kept: of the passes that the session's config leaves on, only those run
  // that are among the first `passes` of GraphPassNames().
  StatusOr<std::shared_ptr<const Plan>> PlanAfter(const Plan& plan,
                                                  size_t passes) const;

  StatusOr<std::shared_ptr<const Callable>> MakeCallable(
      const RunSignature& signature, const RunHooks& hooks) override;
  bool IsCurrent(const Callable& callable) const override;
  Status RunCallable(const Callable& callable, const RunOptions* options,
                     absl::Span<const Tensor> feeds,
                     std::vector<Tensor>* fetches, RunMetadata* metadata,
                     const RunHooks& hooks) override;

  // See partial_run.h.
  StatusOr<int64_t> PartialRunSetup(const RunSignature& signature,
                                    std::vector<FeedSpec>* feeds) override;
  Status RunPiece(int64_t handle, absl::Span<const int> feeds,
                  absl::Span<const Tensor> values,
                  absl::Span<const int> fetches, std::vector<Tensor>* fetched,
                  const RunHooks& hooks) override;

  Status ListDevices(std::vector<DeviceAttributes>* devices) const override;
  Status Reset(absl::Span<const std::string> containers) override;
  Status Close() override;

 protected:
  Status CheckImport(const GraphDef& def) const override;

 private:
  struct Impl;
  // Asks a policy about the whole graph, if it wants that and has not seen this
  // version of it.
  Status CheckNow(const SessionPolicy& policy) const;
  DirectSession(std::shared_ptr<LiveGraph> graph, std::unique_ptr<Impl> impl);
  // Turns names into nodes, which stay valid as long as the graph.
  Status Resolve(const RunSignature& signature, NodeSignature* nodes) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DIRECT_SESSION_H_
