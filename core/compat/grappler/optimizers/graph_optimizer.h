// SPDX-License-Identifier: Apache-2.0
// GraphOptimizer: what rewrites a GrapplerItem, by TensorFlow's interface.
#ifndef TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_GRAPH_OPTIMIZER_H_
#define TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_GRAPH_OPTIMIZER_H_

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/graph.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "core/platform/types.h"

namespace tensorwright {
namespace grappler {

class Cluster;
struct GrapplerItem;

// One object rewrites one graph after the other, on one thread at a time.
class GraphOptimizer {
 public:
  GraphOptimizer() = default;
  virtual ~GraphOptimizer() {}

  // For messages.
  virtual std::string name() const = 0;
  // false: Optimize need not keep the function library, and the caller puts
  // back the one that `item` had.  1.15 does not ask for this method.
  virtual bool UsesFunctionLibrary() const { return true; }

  // Sets *optimized_graph to a graph that computes what item.fetch names from
  // item.feed.  Aborted: there is nothing to do, and *optimized_graph is not
  // read.
  virtual Status Optimize(Cluster* cluster, const GrapplerItem& item,
                          GraphDef* optimized_graph) = 0;
  virtual Status Optimize(Cluster* cluster, GrapplerItem&& item,
                          GraphDef* optimized_graph) {
    return Optimize(cluster, static_cast<const GrapplerItem&>(item),
                    optimized_graph);
  }
  // Sources for 1.x and early 2.x override this; nobody calls it.
  virtual void Feedback(Cluster* /*cluster*/, const GrapplerItem& /*item*/,
                        const GraphDef& /*optimized_graph*/,
                        double /*result*/) {}

  // In microseconds since the epoch; 0 for no deadline.
  void set_deadline_usec(uint64 deadline_usec) {
    deadline_usec_ = deadline_usec;
  }
  uint64 deadline_usec() const { return deadline_usec_; }
  bool DeadlineExceeded() const;

 private:
  uint64 deadline_usec_ = 0;
};

// A macro, because it returns from the method that it stands in.
#define GRAPPLER_RETURN_IF_DEADLINE_EXCEEDED()                    \
  do {                                                            \
    if (this->DeadlineExceeded()) {                               \
      return ::tensorwright::errors::DeadlineExceeded(            \
          ::absl::StrCat(this->name(), " missed its deadline.")); \
    }                                                             \
  } while (0)

}  // namespace grappler
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_GRAPPLER_OPTIMIZERS_GRAPH_OPTIMIZER_H_
