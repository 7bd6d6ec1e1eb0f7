// SPDX-License-Identifier: Apache-2.0
// Partition: makes one graph per device from a placed graph.
#include "core/graph/graph_partition.h"

#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/graph/control_flow_info.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// (GCC 12 warns about map's own operator[] with longer literals.)
AttrValue& Attr(NodeDef* def, const std::string& name) {
  return (*def->mutable_attr())[name];
}

class Partitioner {
 public:
  Partitioner(const PartitionOptions& options, const Graph& graph)
      : options_(options), graph_(graph) {}

  Status Partition(std::vector<DevicePartition>* partitions) {
    TF_RETURN_IF_ERROR(BuildControlFlowInfo(graph_, &frames_));
    CopyNodes();
    TF_RETURN_IF_ERROR(FindLoops());
    TF_RETURN_IF_ERROR(AddControlLoops());
    TF_RETURN_IF_ERROR(ConnectEdges());
    *partitions = std::move(parts_);
    return OkStatus();
  }

 private:
  // Keeps a loop going on a device: a node that is live once in every
  // iteration, and one that is live in every iteration but the last.
  struct ControlLoop {
    Node* merge = nullptr;
    // Output 1.  Null for a loop of the given graph.
    Node* body_switch = nullptr;
  };
  using FrameOnDevice = std::pair<int, int>;  // Frame, partition.

  int PartOf(const Node& node) const { return part_of_[node.id()]; }

  void CopyNodes() {
    part_of_.assign(graph_.num_node_ids(), -1);
    copy_.assign(graph_.num_node_ids(), nullptr);
    absl::flat_hash_map<int, int> parts;
    for (const Node* node : graph_.op_nodes()) {
      auto [it, is_new] = parts.try_emplace(node->assigned_device_index(),
                                            static_cast<int>(parts_.size()));
      if (is_new) {
        parts_.push_back({node->assigned_device_name(),
                          std::make_unique<Graph>(graph_.op_registry())});
        parts_.back().graph->set_versions(graph_.versions());
      }
      part_of_[node->id()] = it->second;
      copy_[node->id()] = parts_[it->second].graph->CopyNode(*node);
    }
  }

  static bool IsLoopMerge(const Node& node) {
    if (!node.IsMerge()) return false;
    for (const Edge* e : node.in_edges()) {
      if (!e->IsControlEdge() && e->src()->IsNextIteration()) return true;
    }
    return false;
  }

  Status FindLoops() {
    loop_cond_.assign(frames_.frames.size(), nullptr);
    for (const Node* node : graph_.op_nodes()) {
      const int frame = frames_.FrameOf(*node);
      if (frame <= 0) continue;
      if (node->IsLoopCond()) loop_cond_[frame] = node;
      if (IsLoopMerge(*node)) {
        loops_.try_emplace({frame, PartOf(*node)},
                           ControlLoop{copy_[node->id()], nullptr});
        for (const Edge* e : node->in_edges()) {
          if (e->src()->IsNextIteration() &&
              PartOf(*e->src()) != PartOf(*node)) {
            return errors::AttachNode(
                errors::InvalidArgument(
                    "Node ", node->name(), " and the NextIteration ",
                    e->src()->name(), " must be on one device"),
                node->name());
          }
        }
      }
    }
    return OkStatus();
  }

  // Every device that runs nodes of a frame must open it and go through its
  // iterations.
  Status AddControlLoops() {
    for (const Node* node : graph_.op_nodes()) {
      for (int frame = frames_.FrameOf(*node); frame > 0;
           frame = frames_.frames[frame].parent) {
        if (loops_.count({frame, PartOf(*node)}) == 0) {
          TF_RETURN_IF_ERROR(AddControlLoop(frame, PartOf(*node)));
        }
      }
    }
    return OkStatus();
  }

  Status AddControlLoop(int frame, int part) {
    const ControlFlowInfo::Frame& info = frames_.frames[frame];
    const Node* cond = loop_cond_[frame];
    if (cond == nullptr) {
      return errors::InvalidArgument("Loop '", info.name,
                                     "' is on several devices, but has no"
                                     " LoopCond");
    }
    Node* start = nullptr;
    int start_output = 0;
    if (info.parent == 0) {
      TF_RETURN_IF_ERROR(AddDummy(part, nullptr, &start));
    } else {
      // The frame opens once in each iteration of the one around it.
      ControlLoop* outer = nullptr;
      TF_RETURN_IF_ERROR(OwnControlLoop(info.parent, part, &outer));
      start = outer->body_switch;
      start_output = 1;
    }
    NodeDef def;
    def.set_op("Enter");
    Attr(&def, "T").set_type(DT_FLOAT);
    Attr(&def, "frame_name").set_s(info.name);
    Attr(&def, "is_constant").set_b(false);
    Attr(&def, "parallel_iterations").set_i(info.parallel_iterations);
    Node* enter = nullptr;
    Node* merge = nullptr;
    Node* body_switch = nullptr;
    Node* next = nullptr;
    TF_RETURN_IF_ERROR(AddNode(part, std::move(def), &enter));
    NodeDef merge_def;
    merge_def.set_op("Merge");
    Attr(&merge_def, "T").set_type(DT_FLOAT);
    Attr(&merge_def, "N").set_i(2);
    TF_RETURN_IF_ERROR(AddNode(part, std::move(merge_def), &merge));
    TF_RETURN_IF_ERROR(AddNode(part, SimpleDef("Switch"), &body_switch));
    TF_RETURN_IF_ERROR(AddNode(part, SimpleDef("NextIteration"), &next));
    Graph* graph = parts_[part].graph.get();
    graph->AddEdge(start, start_output, enter, 0);
    graph->AddEdge(enter, 0, merge, 0);
    graph->AddEdge(next, 0, merge, 1);
    graph->AddEdge(merge, 0, body_switch, 0);
    graph->AddEdge(body_switch, 1, next, 0);
    // Receiving the condition needs the Merge.
    own_loops_[{frame, part}] = {merge, body_switch};
    loops_.try_emplace({frame, part}, ControlLoop{merge, body_switch});
    Node* pred = copy_[cond->id()];
    if (PartOf(*cond) != part) {
      TF_RETURN_IF_ERROR(Receive(*cond, 0, part, &pred));
    }
    graph->AddEdge(pred, 0, body_switch, 1);
    return OkStatus();
  }

  // Finds a loop that we made, beside one of the given graph if need be.
  Status OwnControlLoop(int frame, int part, ControlLoop** loop) {
    auto it = own_loops_.find({frame, part});
    if (it == own_loops_.end()) {
      TF_RETURN_IF_ERROR(AddControlLoop(frame, part));
      it = own_loops_.find({frame, part});
    }
    *loop = &it->second;
    return OkStatus();
  }

  Status ConnectEdges() {
    for (const Node* node : graph_.op_nodes()) {
      const int part = PartOf(*node);
      Node* dst = copy_[node->id()];
      Graph* graph = parts_[part].graph.get();
      for (const Edge* e : node->in_edges()) {
        if (!e->src()->IsOp()) continue;
        Node* src = copy_[e->src()->id()];
        int output = e->src_output();
        if (PartOf(*e->src()) != part) {
          if (!e->IsControlEdge() &&
              IsRefType(node->input_type(e->dst_input()))) {
            return errors::AttachNode(
                errors::InvalidArgument(
                    "Node ", node->name(), " takes a reference to ",
                    e->src()->name(), ", which is on another device, ",
                    e->src()->assigned_device_name()),
                node->name());
          }
          TF_RETURN_IF_ERROR(Receive(
              *e->src(), e->IsControlEdge() ? Graph::kControlSlot : output,
              part, &src));
          if (!e->IsControlEdge()) output = 0;
        }
        if (e->IsControlEdge()) {
          graph->AddControlEdge(src, dst);
        } else {
          graph->AddEdge(src, output, dst, e->dst_input());
        }
      }
    }
    return OkStatus();
  }

  // The node in `part` that receives output `output` of `src`, or the signal
  // that it has run.
  Status Receive(const Node& src, int output, int part, Node** recv) {
    Node*& known = received_[{src.id(), output, part}];
    if (known != nullptr) {
      *recv = known;
      return OkStatus();
    }
    const int from = PartOf(src);
    const std::string& send_device = parts_[from].device;
    const std::string& recv_device = parts_[part].device;
    DataType type = DT_FLOAT;
    Node* value = copy_[src.id()];
    int value_output = output;
    if (output == Graph::kControlSlot) {
      TF_RETURN_IF_ERROR(AddDummy(from, value, &value));
      value_output = 0;
    } else {
      type = BaseType(src.output_type(output));
    }
    NodeDef def;
    Attr(&def, "tensor_name")
        .set_s(absl::StrCat("edge_", src.id(), "_", output, "_", src.name()));
    Attr(&def, "send_device").set_s(send_device);
    Attr(&def, "send_device_incarnation")
        .set_i(static_cast<int64_t>(options_.incarnation(send_device)));
    Attr(&def, "recv_device").set_s(recv_device);
    Attr(&def, "client_terminated").set_b(false);
    NodeDef recv_def = def;
    def.set_op("_Send");
    Attr(&def, "T").set_type(type);
    recv_def.set_op("_Recv");
    Attr(&recv_def, "tensor_type").set_type(type);
    Node* send = nullptr;
    TF_RETURN_IF_ERROR(AddNode(from, std::move(def), &send));
    parts_[from].graph->AddEdge(value, value_output, send, 0);
    Node* made = nullptr;
    TF_RETURN_IF_ERROR(AddNode(part, std::move(recv_def), &made));
    const int frame = frames_.OutputFrame(src);
    if (frame > 0) {
      auto loop = loops_.find({frame, part});
      if (loop == loops_.end()) {
        TF_RETURN_IF_ERROR(AddControlLoop(frame, part));
        loop = loops_.find({frame, part});
      }
      parts_[part].graph->AddControlEdge(loop->second.merge, made);
    }
    received_[{src.id(), output, part}] = made;
    *recv = made;
    return OkStatus();
  }

  static NodeDef SimpleDef(const char* op) {
    NodeDef def;
    def.set_op(op);
    Attr(&def, "T").set_type(DT_FLOAT);
    return def;
  }

  // A Const without elements that waits for `after`, if that is not null.
  Status AddDummy(int part, Node* after, Node** node) {
    NodeDef def;
    def.set_op("Const");
    Attr(&def, "dtype").set_type(DT_FLOAT);
    TensorProto* value = Attr(&def, "value").mutable_tensor();
    value->set_dtype(DT_FLOAT);
    value->mutable_tensor_shape()->add_dim()->set_size(0);
    TF_RETURN_IF_ERROR(AddNode(part, std::move(def), node));
    if (after != nullptr) parts_[part].graph->AddControlEdge(after, *node);
    return OkStatus();
  }

  Status AddNode(int part, NodeDef def, Node** node) {
    Graph* graph = parts_[part].graph.get();
    def.set_name(graph->NewName(absl::StrCat("_partition/", def.op())));
    Status status;
    *node = graph->AddNode(std::move(def), &status);
    if (*node != nullptr)
      (*node)->set_assigned_device_name(parts_[part].device);
    return status;
  }

  const PartitionOptions& options_;
  const Graph& graph_;
  ControlFlowInfo frames_;
  std::vector<DevicePartition> parts_;
  std::vector<int> part_of_;            // By node id.
  std::vector<Node*> copy_;             // Likewise.
  std::vector<const Node*> loop_cond_;  // By frame.
  std::map<FrameOnDevice, ControlLoop> loops_;
  std::map<FrameOnDevice, ControlLoop> own_loops_;
  // Node, output, partition.
  std::map<std::tuple<int, int, int>, Node*> received_;
};

}  // namespace

Status PartitionGraph(const PartitionOptions& options, const Graph& graph,
                      std::vector<DevicePartition>* partitions) {
  return Partitioner(options, graph).Partition(partitions);
}

}  // namespace tensorwright
