// SPDX-License-Identifier: Apache-2.0
// Finds the loop frame that each node of a graph runs in.
//
// An Enter runs in the frame around the one it opens; an Exit runs in the frame
// that it leaves.  So a node's outputs are in OutputFrame(node), which differs
// from FrameOf(node) for those two only.
//
// Frames are told apart by parent and name: loops of one name inside different
// frames are different frames.  This is a snapshot: nodes that are added later
// have no frame.
#ifndef TENSORWRIGHT_CORE_GRAPH_CONTROL_FLOW_INFO_H_
#define TENSORWRIGHT_CORE_GRAPH_CONTROL_FLOW_INFO_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

struct ControlFlowInfo {
  struct Frame {
    std::string name;  // Attr frame_name of its Enters; "" for the root.
    int parent = -1;   // -1 for the root only, which is frame 0.
    int parallel_iterations = 1;
    std::vector<const Node*> enters;
  };

  std::vector<Frame> frames;
  std::vector<int> frame_of;      // By node id; -1: not an op or unreachable.
  std::vector<int> output_frame;  // Likewise.

  int FrameOf(const Node& node) const { return frame_of[node.id()]; }
  int OutputFrame(const Node& node) const { return output_frame[node.id()]; }
  bool HasLoops() const { return frames.size() > 1; }
};

// Fills *info; linear in the graph.  InvalidArgument, with the node noted, if a
// node has inputs from different frames or inputs that never come, an Exit or
// NextIteration is in no frame, an Enter has no frame_name, or frames nest 1000
// deep; *info is of no use then.  The largest parallel_iterations that a
// frame's Enters ask for counts, up to 65536.
Status BuildControlFlowInfo(const Graph& graph, ControlFlowInfo* info);
// The same for `nodes` alone, as if they and the edges between them were the
// graph.
Status BuildControlFlowInfo(const Graph& graph, absl::Span<Node* const> nodes,
                            ControlFlowInfo* info);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_CONTROL_FLOW_INFO_H_
