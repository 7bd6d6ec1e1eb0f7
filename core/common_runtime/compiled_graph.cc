// SPDX-License-Identifier: Apache-2.0
// CompiledGraph and the order of its compilation.
#include "core/common_runtime/compiled_graph.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "core/common_runtime/compiled_graph_internal.h"
#include "core/framework/decorators.h"
#include "core/graph/algorithm.h"
#include "core/graph/validate.h"
#include "core/graph/waiting_constants.h"

namespace tensorwright {

Status GraphCompiler::Compile(bool may_be_dead) {
  TF_RETURN_IF_ERROR(Order());
  TF_RETURN_IF_ERROR(BuildControlFlowInfo(graph_, &frames_));
  // A decorated constant's kernel runs, and so belongs to its frame.
  if (!HasKernelDecorator("Const")) FreeWaitingConstants(c_.graph_.get());
  AddFrames();
  info_.resize(graph_.num_node_ids());
  for (Node* node : order_) TF_RETURN_IF_ERROR(AddNode(node));
  for (Node* node : order_) TF_RETURN_IF_ERROR(ConnectInputs(*node));
  for (size_t i = 0; i < c_.nodes_.size(); ++i) AddEdges(i);
  FindLastUses(0);
  AddLoops();
  AddShapeChecks();
  ChooseMode(may_be_dead);
  if (!memory_is_host_) c_.memory_.resize(c_.nodes_.size());
  c_.costs_ = std::vector<std::atomic<int32_t>>(c_.nodes_.size());
  for (auto& cost : c_.costs_) cost.store(-1, std::memory_order_relaxed);
  c_.wide_ = std::vector<std::atomic<bool>>(c_.nodes_.size());
  return OkStatus();
}

Status GraphCompiler::Order() {
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

void GraphCompiler::AddFrames() {
  for (const ControlFlowInfo::Frame& frame : frames_.frames) {
    CompiledFrame& f = c_.frames_.emplace_back();
    f.parent = frame.parent;
    f.name = frame.name;
    f.parallel_iterations = frame.parallel_iterations;
    f.num_enters = static_cast<int>(frame.enters.size());
  }
}

void GraphCompiler::AddShapeChecks() {
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

void GraphCompiler::ChooseMode(bool may_be_dead) {
  bool has_control_flow = may_be_dead && c_.has_transfers_;
  for (const CompiledNode& n : c_.nodes_) {
    has_control_flow |= n.node->IsControlFlow();
  }
  c_.mode_ = has_control_flow ? CompiledGraph::Mode::kControlFlow
                              : CompiledGraph::Mode::kDataflow;
}

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
  // order, comes after all those before it: the longest chain that ends in it
  // has as many members as have been seen.
  std::vector<int> chain(nodes_.size(), 0);
  int seen = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    int longest = chain[i];  // Set by the edges of earlier nodes.
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
