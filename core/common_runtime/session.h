// SPDX-License-Identifier: Apache-2.0
// Session: runs parts of a graph, wherever the devices are.
//
//   TF_ASSIGN_OR_RETURN(auto session, NewSession("", config, graph));
//   TF_ASSIGN_OR_RETURN(auto callable, session->MakeCallable({{"x:0"}, {"y:0"},
//                                                             {}}, {}));
//   session->RunCallable(*callable, nullptr, {x}, &fetched, nullptr, {});
//
// A run names its feeds, fetches and targets, never by Node*: the session may
// be in another process than the graph.  Callers that run the same thing often
// keep the Callable, for which names are looked up once.
//
// The graph is a LiveGraph that front end and session share.  A session notices
// its growth by itself: a remote one sends the new nodes.
//
// A target chooses the kind of session.  Its scheme is the part before "://":
// "" means a session on the devices of this process (DirectSession), and a
// library with another kind registers a SessionFactory for its scheme.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class ConfigProto;
class DeviceAttributes;
class GraphDef;
class RunMetadata;
class RunOptions;

// The feeds, fetches and targets of a run.
struct RunSignature {
  std::vector<std::string> feeds;    // "x:0", or "x" for output 0.
  std::vector<std::string> fetches;  // Tensors, named likewise.
  std::vector<std::string> targets;  // Nodes, "train".
};

// Describes the tensors that a feed accepts.
struct FeedSpec {
  std::string name;  // "x:0"
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;
};

struct RunHooks {
  // Polled at most every ~10 ms on the thread that called Run; true cancels the
  // run, which then fails with Cancelled.  May take the GIL.
  std::function<bool()> interrupted;
  // The time at which the run must have ended, or fails with DeadlineExceeded;
  // a timeout of the RunOptions or of the session may come sooner.
  absl::Time deadline = absl::InfiniteFuture();
};

// A signature that a session has prepared.  Immutable; may be shared by any
// number of runs at once.  Must not outlive its session.
class Callable {
 public:
  virtual ~Callable() = default;
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;

  // In the order of the signature.
  const std::vector<FeedSpec>& feeds() const { return feeds_; }

 protected:
  Callable() = default;
  std::vector<FeedSpec> feeds_;
};

// Threads: every method except Create and the destructor may be called from
// many threads at once.  Runs proceed concurrently.
//
// Failures: a Status that names the node if there is one (errors::FailedNode);
// the session stays usable after it.
class Session {
 public:
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::shared_ptr<LiveGraph>& graph() const { return graph_; }

  // For programs that have a GraphDef, and no graph that grows: add its nodes
  // to graph().  Create: AlreadyExists if there are nodes already.
  // PermissionDenied and ResourceExhausted, if the session's policy forbids any
  // of them; otherwise errors as LiveGraph::Import.  After an error the graph
  // is as it was.
  Status Create(const GraphDef& def);
  Status Extend(const GraphDef& def);

  // Compiled once per signature and graph mutation, cached by the session.
  // NotFound: a name that is no tensor or node of the graph.  InvalidArgument:
  // a tensor fed twice.  Cancelled and DeadlineExceeded: `hooks` ended the
  // compilation, which folds constants and so may take long.  Otherwise the
  // errors of pruning, placement and the making of kernels.
  virtual StatusOr<std::shared_ptr<const Callable>> MakeCallable(
      const RunSignature& signature, const RunHooks& hooks) = 0;

  // False when a change to old nodes of the graph has made `callable` stale:
  // ask MakeCallable again.  Cheap; growth of the graph leaves it current.
  virtual bool IsCurrent(const Callable& callable) const = 0;

  // `feeds` in the order of the signature; dtype and shape are checked.  On
  // success `fetches` has one tensor per fetch.  A fetched tensor whose
  // RefCountIsOne() belongs to the caller alone; any other shares its buffer
  // with a constant, a variable, a feed or another fetch and must be copied
  // before anybody writes to it.  `callable` belongs to this session.
  // `options` and `metadata` may be null.
  virtual Status RunCallable(const Callable& callable,
                             const RunOptions* options,
                             absl::Span<const Tensor> feeds,
                             std::vector<Tensor>* fetches,
                             RunMetadata* metadata, const RunHooks& hooks) = 0;

  // MakeCallable and RunCallable in one: names are looked up each time.
  Status Run(const std::vector<std::pair<std::string, Tensor>>& feeds,
             const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets,
             std::vector<Tensor>* fetched);
  // The same with options, and with a report of the run in *metadata, which may
  // be null.
  Status Run(const RunOptions& options,
             const std::vector<std::pair<std::string, Tensor>>& feeds,
             const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets,
             std::vector<Tensor>* fetched, RunMetadata* metadata);

  // Starts a step that is fed and fetched in pieces; the result names it.  It
  // is over when all feeds are fed and all fetches fetched, when it fails, or
  // when the session is closed.  Sets *feeds to the descriptions of the tensors
  // to feed.
  virtual StatusOr<int64_t> PartialRunSetup(const RunSignature& signature,
                                            std::vector<FeedSpec>* feeds) = 0;
  // `feeds` and `fetches` are places in the signature.  InvalidArgument for a
  // step that is over.  Fetched tensors are as those of RunCallable.
  virtual Status RunPiece(int64_t handle, absl::Span<const int> feeds,
                          absl::Span<const Tensor> values,
                          absl::Span<const int> fetches,
                          std::vector<Tensor>* fetched,
                          const RunHooks& hooks) = 0;

  virtual Status ListDevices(std::vector<DeviceAttributes>* devices) const = 0;

  // Drops all resources (variables) in the named containers, or the default
  // container when the list is empty.
  virtual Status Reset(absl::Span<const std::string> containers) = 0;

  // Cancels the runs in progress, waits for them, and makes later calls fail
  // with Cancelled.
  virtual Status Close() = 0;

 protected:
  explicit Session(std::shared_ptr<LiveGraph> graph)
      : graph_(std::move(graph)) {}

  // May this graph be imported?  For sessions with a policy.
  virtual Status CheckImport(const GraphDef& /*def*/) const {
    return OkStatus();
  }

 private:
  // Run; `options` and `metadata` may be null.
  Status RunNamed(const RunOptions* options,
                  const std::vector<std::pair<std::string, Tensor>>& feeds,
                  const std::vector<std::string>& fetches,
                  const std::vector<std::string>& targets,
                  std::vector<Tensor>* fetched, RunMetadata* metadata);

  const std::shared_ptr<LiveGraph> graph_;
};

// Makes sessions for the targets of one scheme.  Thread safe; never destroyed.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;

  virtual StatusOr<std::unique_ptr<Session>> NewSession(
      const std::string& target, const ConfigProto& config,
      std::shared_ptr<LiveGraph> graph) = 0;

  // Drops the resources that sessions of that target share, in the named
  // containers, or all of them when the list is empty.
  virtual Status Reset(const std::string& target, const ConfigProto& config,
                       absl::Span<const std::string> containers) = 0;

  // Takes ownership.  The last factory of a scheme counts.
  static void Register(const std::string& scheme,
                       std::unique_ptr<SessionFactory> factory);
};

// Registers when it is constructed, which is when the program starts or its
// library is loaded.
template <class Factory>
struct RegisterSessionFactory {
  explicit RegisterSessionFactory(const std::string& scheme) {
    SessionFactory::Register(scheme, std::make_unique<Factory>());
  }
};

// Calls the factory for the scheme of `target`, and returns what that returns.
// NotFound, with the target and the known schemes, if there is no factory for
// it.
StatusOr<std::unique_ptr<Session>> NewSession(const std::string& target,
                                              const ConfigProto& config,
                                              std::shared_ptr<LiveGraph> graph);
Status ResetSessions(const std::string& target, const ConfigProto& config,
                     absl::Span<const std::string> containers);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_H_
