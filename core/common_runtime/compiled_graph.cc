// SPDX-License-Identifier: Apache-2.0
// CompiledGraph and its compiler.
#include "core/common_runtime/compiled_graph.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/common_runtime/memory_copies.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def_util.h"
#include "core/graph/algorithm.h"
#include "core/graph/validate.h"
#include "core/graph/waiting_constants.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Ops whose resources are no variables, or which only read them.
bool OnlyReadsVariables(absl::string_view op) {
  for (absl::string_view prefix :
       {"TensorArray", "Stack", "Queue", "LookupTable", "ResourceGather"}) {
    if (absl::StartsWith(op, prefix)) return true;
  }
  return op == "ReadVariableOp" || op == "VarIsInitializedOp" ||
         op == "VariableShape";
}

bool MayWriteVariables(const Node& node) {
  if (OnlyReadsVariables(node.type_string())) return false;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DataType type = node.input_type(i);
    // References to strings are the handles of queues and the like.
    if (type == DT_RESOURCE ||
        (IsRefType(type) && BaseType(type) != DT_STRING)) {
      return true;
    }
  }
  return false;
}

}  // namespace

class GraphCompiler {
 public:
  GraphCompiler(CompiledGraph* out, KernelCache* kernels)
      : c_(*out),
        graph_(*out->graph_),
        kernels_(kernels),
        memory_is_host_(out->device_->memory_is_host()) {}

  Status Compile(bool may_be_dead) {
    TF_RETURN_IF_ERROR(Order());
    TF_RETURN_IF_ERROR(BuildControlFlowInfo(graph_, &frames_));
    FreeWaitingConstants(c_.graph_.get());
    AddFrames();
    info_.resize(graph_.num_node_ids());
    for (Node* node : order_) TF_RETURN_IF_ERROR(AddNode(node));
    for (Node* node : order_) TF_RETURN_IF_ERROR(ConnectInputs(*node));
    for (size_t i = 0; i < c_.nodes_.size(); ++i) AddEdges(i);
    FindLastUses();
    AddShapeChecks();
    ChooseMode(may_be_dead);
    if (!memory_is_host_) c_.memory_.resize(c_.nodes_.size());
    c_.costs_ = std::vector<std::atomic<int32_t>>(c_.nodes_.size());
    for (auto& cost : c_.costs_) cost.store(-1, std::memory_order_relaxed);
    c_.wide_ = std::vector<std::atomic<bool>>(c_.nodes_.size());
    return OkStatus();
  }

 private:
  // What became of a node of the graph.
  struct Info {
    int compiled = -1;                  // Index in nodes_, or
    int slot = -1;                      // the slot of a feed, or
    const Tensor* constant = nullptr;   // a constant, in host memory,
    const Tensor* on_device = nullptr;  // and in the device's.
  };

  Status Order() {
    order_ = DepthFirstOrder(graph_);
    std::vector<int> position(graph_.num_node_ids(), -1);
    for (size_t i = 0; i < order_.size(); ++i) {
      position[order_[i]->id()] = static_cast<int>(i);
    }
    for (const Node* node : order_) {
      for (const Edge* e : node->in_edges()) {
        if (position[e->src()->id()] > position[node->id()] &&
            !e->src()->IsNextIteration()) {
          return ValidateNoCycles(graph_);
        }
      }
    }
    return OkStatus();
  }

  void AddFrames() {
    for (const ControlFlowInfo::Frame& frame : frames_.frames) {
      CompiledFrame& f = c_.frames_.emplace_back();
      f.parent = frame.parent;
      f.name = frame.name;
      f.parallel_iterations = frame.parallel_iterations;
      f.num_enters = static_cast<int>(frame.enters.size());
    }
  }

  static int IndexAttr(const Node& node) {
    return static_cast<int>(node.FindAttr("index")->i());
  }

  int NewSlot(int frame) {
    c_.frames_[frame].slot_uses.push_back(0);
    return static_cast<int>(c_.frames_[frame].slot_uses.size()) - 1;
  }

  Status AddNode(Node* node) {
    Info& info = info_[node->id()];
    if (node->IsArg()) {
      info.slot = NewSlot(0);
      c_.feeds_.push_back({IndexAttr(*node), info.slot});
      return OkStatus();
    }
    if (node->IsRetval()) return OkStatus();  // Its input says it all.
    if (IsPlanConstant(*node)) return AddConstant(*node, &info);
    info.compiled = static_cast<int>(c_.nodes_.size());
    CompiledNode& n = c_.nodes_.emplace_back();
    n.node = node;
    n.node_class = node->node_class();
    n.frame = frames_.FrameOf(*node);
    n.num_inputs = node->num_inputs();
    n.num_outputs = node->num_outputs();
    CompiledFrame& frame = c_.frames_[n.frame];
    n.index_in_frame = static_cast<int>(frame.nodes.size());
    frame.nodes.push_back(info.compiled);
    frame.pending.push_back(0);
    n.first_input = static_cast<int>(frame.input_slots.size());
    frame.input_slots.resize(n.first_input + n.num_inputs, -1);
    n.first_output = static_cast<int>(frame.slot_uses.size());
    for (int i = 0; i < n.num_outputs; ++i) NewSlot(n.frame);
    if (node->IsEnter() || node->IsExit() || node->IsNextIteration()) {
      n.landing_slot = NewSlot(frames_.OutputFrame(*node));
    }
    if (node->IsEnter()) n.enters_frame = frames_.OutputFrame(*node);
    const AttrValue* constant = node->FindAttr("is_constant");
    n.is_constant_enter =
        node->IsEnter() && constant != nullptr && constant->b();
    for (DataType t : node->output_types()) n.has_ref_outputs |= IsRefType(t);
    return node->IsNoOp() || node->IsControlTrigger() ? OkStatus()
                                                      : AddKernel(&n);
  }

  Status AddConstant(const Node& node, Info* info) {
    const AttrValue* value = node.FindAttr("value");
    auto tensor = std::make_unique<Tensor>();
    Status status = value == nullptr
                        ? errors::InvalidArgument("Const: needs attr value")
                        : c_.device_->MakeTensorFromProto(
                              value->tensor(), OnHost(true), tensor.get());
    if (status.ok() && tensor->dtype() != node.output_type(0)) {
      status = errors::InvalidArgument(
          "Const: value must have type ", DataTypeString(node.output_type(0)),
          ", got ", DataTypeString(tensor->dtype()));
    }
    if (!status.ok()) return errors::AttachNode(status, node.name());
    info->constant = tensor.get();
    c_.constants_.push_back(std::move(tensor));
    if (memory_is_host_) info->on_device = info->constant;
    return OkStatus();
  }

  // Attributes of host memory, where the device has other memory too.
  AllocatorAttributes OnHost(bool on_host) const {
    AllocatorAttributes attributes;
    if (on_host && !memory_is_host_) attributes.set_on_host(true);
    return attributes;
  }

  bool IsOnHost(const CompiledNode& n, int input) const {
    return memory_is_host_ ||
           (n.kernel != nullptr &&
            n.kernel->input_memory_types()[input] == HOST_MEMORY);
  }

  // The constant in the memory that the input wants.
  Status ConstantFor(const CompiledNode& n, const Edge& e,
                     const Tensor** constant) {
    Info& info = info_[e.src()->id()];
    *constant = info.constant;
    if (IsOnHost(n, e.dst_input())) return OkStatus();
    if (info.on_device == nullptr) {
      auto copy = std::make_unique<Tensor>();
      const Status status = c_.device_->MakeTensorFromProto(
          e.src()->FindAttr("value")->tensor(), OnHost(false), copy.get());
      if (!status.ok()) return errors::AttachNode(status, e.src()->name());
      info.on_device = copy.get();
      c_.constants_.push_back(std::move(copy));
    }
    *constant = info.on_device;
    return OkStatus();
  }

  // Of a node whose kernel there is.
  void AddMemory(const CompiledNode& n) {
    c_.memory_.resize(c_.nodes_.size());
    NodeMemory& memory = c_.memory_.back();
    for (MemoryType type : n.kernel->input_memory_types()) {
      memory.inputs.push_back(OnHost(type == HOST_MEMORY));
    }
    for (MemoryType type : n.kernel->output_memory_types()) {
      memory.outputs.push_back(OnHost(type == HOST_MEMORY));
    }
    memory.context = c_.device_->ContextFor(n.node->def());
  }

  // Do the first input and the first output live in one memory?
  bool SharesMemory(const CompiledNode& n) const {
    return memory_is_host_ || n.kernel->input_memory_types()[0] ==
                                  n.kernel->output_memory_types()[0];
  }

  Status AddKernel(CompiledNode* n) {
    std::shared_ptr<OpKernel> kernel;
    TF_RETURN_IF_ERROR(kernels_->GetOrCreate(*n->node, c_.device_, &kernel));
    n->kernel = kernel.get();
    n->async = kernel->AsAsync();
    n->is_expensive = kernel->IsExpensive();
    n->output_types = n->node->output_types().data();
    n->writes_variables = MayWriteVariables(*n->node);
    switch (n->node_class) {
      case NodeClass::kEnter:
      case NodeClass::kExit:
      case NodeClass::kNextIteration:
      case NodeClass::kLoopCond:
      case NodeClass::kIdentity:
        n->passes_through = !n->has_ref_outputs && SharesMemory(*n);
        break;
      case NodeClass::kMerge:
        n->routes = !n->has_ref_outputs && SharesMemory(*n);
        break;
      case NodeClass::kSwitch:
        // The executor reads the predicate.
        n->routes = !n->has_ref_outputs && SharesMemory(*n) && IsOnHost(*n, 1);
        break;
      default:
        break;
    }
    c_.has_async_ |= n->async != nullptr;
    c_.has_transfers_ |= n->node->IsTransfer();
    c_.kernels_.push_back(std::move(kernel));
    if (!memory_is_host_) AddMemory(*n);
    return OkStatus();
  }

  Status ConnectInputs(const Node& node) {
    const Info& info = info_[node.id()];
    if (node.IsRetval()) return AddFetch(node);
    if (info.compiled < 0) return OkStatus();
    CompiledNode& n = c_.nodes_[info.compiled];
    CompiledFrame& frame = c_.frames_[n.frame];
    int waits = 0;  // Data edges, of which a Merge needs one only.
    int controls = 0;
    for (const Edge* e : node.in_edges()) {
      const Info& src = info_[e->src()->id()];
      const bool arrives = src.compiled >= 0;
      if (e->IsControlEdge()) {
        controls += arrives;
        continue;
      }
      waits += arrives;
      const int input = n.first_input + e->dst_input();
      if (src.constant != nullptr) {
        const Tensor* constant = nullptr;
        TF_RETURN_IF_ERROR(ConstantFor(n, *e, &constant));
        frame.constant_inputs.emplace_back(input, constant);
        continue;
      }
      n.has_ref_inputs |= IsRefType(e->src()->output_type(e->src_output()));
      const int slot = SlotOf(*e);
      // What a constant Enter brings stays until the frame ends.
      if (arrives && c_.nodes_[src.compiled].is_constant_enter) continue;
      frame.input_slots[input] = slot;
      ++frame.slot_uses[slot];
    }
    if (node.IsMerge()) {
      for (int i = 0; i < n.num_inputs; ++i) {
        frame.merge_inputs.push_back(n.first_input + i);
      }
      // Bit 0: no live input yet; above it, control edges.
      frame.pending[n.index_in_frame] = 1 + 2 * controls;
    } else {
      frame.pending[n.index_in_frame] = waits + controls;
      if (waits + controls == 0) frame.ready.push_back(info.compiled);
    }
    return OkStatus();
  }

  // The slot from which the consumer of `e` reads.
  int SlotOf(const Edge& e) const {
    const Info& src = info_[e.src()->id()];
    if (src.compiled < 0) return src.slot;
    const CompiledNode& n = c_.nodes_[src.compiled];
    return n.landing_slot >= 0 ? n.landing_slot
                               : n.first_output + e.src_output();
  }

  Status AddFetch(const Node& retval) {
    const Edge& e = *retval.input_edge(0);
    if (frames_.FrameOf(retval) != 0) {
      return errors::AttachNode(
          errors::InvalidArgument("Tensor ", e.src()->name(), ":",
                                  e.src_output(),
                                  " is inside a loop and cannot be fetched"),
          e.src()->name());
    }
    const Info& src = info_[e.src()->id()];
    const int slot = src.constant != nullptr ? -1 : SlotOf(e);
    // The use that is never given back keeps the value until the run ends.
    if (slot >= 0) ++c_.frames_[0].slot_uses[slot];
    // Of several fetches of one value, the last one may take it.
    for (CompiledGraph::FetchSlot& other : c_.fetches_) {
      if (other.slot == slot) other.is_last = false;
    }
    c_.fetches_.push_back(
        {IndexAttr(retval), slot, src.constant, e.src(), /*is_last=*/true});
    return OkStatus();
  }

  void AddEdges(size_t index) {
    CompiledNode& n = c_.nodes_[index];
    n.first_edge = static_cast<int>(c_.edges_.size());
    for (const Edge* e : n.node->out_edges()) {
      const int dst = info_[e->dst()->id()].compiled;
      if (dst < 0) continue;
      CompiledEdge& edge = c_.edges_.emplace_back();
      edge.dst = dst;
      edge.output = e->IsControlEdge() ? -1 : e->src_output();
      edge.input =
          e->IsControlEdge() ? -1 : c_.nodes_[dst].first_input + e->dst_input();
      edge.to_ref = !e->IsControlEdge() &&
                    IsRefType(e->dst()->input_type(e->dst_input()));
    }
    n.num_edges = static_cast<int>(c_.edges_.size()) - n.first_edge;
  }

  // For the static order of the root frame; loops count at run time.
  void FindLastUses() {
    CompiledFrame& root = c_.frames_[0];
    std::vector<int> last_reader(root.slot_uses.size(), -1);
    for (size_t i = 0; i < c_.nodes_.size(); ++i) {
      const CompiledNode& n = c_.nodes_[i];
      if (n.frame != 0) continue;
      for (int k = 0; k < n.num_inputs; ++k) {
        const int slot = root.input_slots[n.first_input + k];
        if (slot >= 0) last_reader[slot] = static_cast<int>(i);
      }
    }
    for (const CompiledGraph::FetchSlot& fetch : c_.fetches_) {
      if (fetch.slot >= 0) last_reader[fetch.slot] = -2;
    }
    root.input_is_last.assign(root.input_slots.size(), false);
    for (size_t i = 0; i < c_.nodes_.size(); ++i) {
      CompiledNode& n = c_.nodes_[i];
      n.first_release = static_cast<int>(c_.releases_.size());
      if (n.frame != 0) continue;
      for (int k = 0; k < n.num_inputs; ++k) {
        const int slot = root.input_slots[n.first_input + k];
        if (slot < 0 || last_reader[slot] != static_cast<int>(i)) continue;
        // An op that reads a value twice must not overwrite it.
        if (Occurrences(root, n, slot) == 1) {
          root.input_is_last[n.first_input + k] = true;
        }
        c_.releases_.push_back(slot);
      }
      for (int k = 0; k < n.num_outputs; ++k) {
        const int slot = n.first_output + k;
        if (last_reader[slot] == -1) c_.releases_.push_back(slot);
      }
      n.num_releases = static_cast<int>(c_.releases_.size()) - n.first_release;
    }
  }

  static int Occurrences(const CompiledFrame& frame, const CompiledNode& n,
                         int slot) {
    int count = 0;
    for (int k = 0; k < n.num_inputs; ++k) {
      count += frame.input_slots[n.first_input + k] == slot;
    }
    return count;
  }

  void AddShapeChecks() {
    for (CompiledNode& n : c_.nodes_) {
      if (n.kernel == nullptr || !ShapeCheck::IsNeeded(*n.node)) continue;
      std::vector<ShapeCheck::Input> inputs(n.num_inputs);
      for (int i = 0; i < n.num_inputs; ++i) {
        inputs[i].constant = info_[n.node->input_node(i)->id()].constant;
        inputs[i].on_host = IsOnHost(n, i);
      }
      c_.shape_checks_.push_back(
          std::make_unique<ShapeCheck>(*n.node, std::move(inputs)));
      n.shape_check = c_.shape_checks_.back().get();
    }
  }

  void ChooseMode(bool may_be_dead) {
    bool has_control_flow = may_be_dead && c_.has_transfers_;
    for (const CompiledNode& n : c_.nodes_) {
      has_control_flow |= n.node->IsControlFlow();
    }
    c_.mode_ = has_control_flow ? CompiledGraph::Mode::kControlFlow
                                : CompiledGraph::Mode::kDataflow;
  }

  CompiledGraph& c_;
  const Graph& graph_;
  KernelCache* const kernels_;
  const bool memory_is_host_;
  std::vector<Node*> order_;
  ControlFlowInfo frames_;
  std::vector<Info> info_;  // By node id.
};

Status CompiledGraph::Compile(std::unique_ptr<Graph> graph, Device* device,
                              KernelCache* kernels, bool may_be_dead,
                              std::unique_ptr<CompiledGraph>* compiled) {
  compiled->reset(new CompiledGraph);
  (*compiled)->graph_ = std::move(graph);
  (*compiled)->device_ = device;
  (*compiled)->functions_ = kernels->functions();
  return GraphCompiler(compiled->get(), kernels).Compile(may_be_dead);
}

bool CompiledGraph::MayRunInParallel() const {
  // If the nodes worth a thread form a chain, each of them, in topological
  // order, comes after all before it: the longest chain that ends in it has as
  // many members as were seen.
  std::vector<int> chain(nodes_.size(), 0);
  int seen = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    int longest = chain[i];  // From the edges of earlier nodes.
    if (IsWorthAThread(static_cast<int>(i))) {
      if (longest != seen) return true;
      longest = ++seen;
    }
    for (int k = 0; k < nodes_[i].num_edges; ++k) {
      int& next = chain[edges_[nodes_[i].first_edge + k].dst];
      next = std::max(next, longest);
    }
  }
  return false;
}

}  // namespace tensorwright
