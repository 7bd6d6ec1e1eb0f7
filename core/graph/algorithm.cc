// SPDX-License-Identifier: Apache-2.0
// Orders and reachability over a Graph.
#include "core/graph/algorithm.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace tensorwright {

std::vector<Node*> TopologicalOrder(const Graph& graph) {
  std::vector<int> pending(graph.num_node_ids(), 0);
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (const Node* node : graph.op_nodes()) {
    for (const Edge* e : node->in_edges()) {
      if (e->src()->IsOp() && !e->src()->IsNextIteration()) {
        ++pending[node->id()];
      }
    }
    if (pending[node->id()] == 0) ready.push(node->id());
  }
  std::vector<Node*> order;
  order.reserve(graph.num_op_nodes());
  while (!ready.empty()) {
    Node* node = graph.FindNodeId(ready.top());
    ready.pop();
    order.push_back(node);
    if (node->IsNextIteration()) continue;
    for (const Edge* e : node->out_edges()) {
      if (e->dst()->IsOp() && --pending[e->dst()->id()] == 0) {
        ready.push(e->dst()->id());
      }
    }
  }
  return order;
}

std::vector<Node*> DepthFirstOrder(const Graph& graph) {
  struct Frame {
    Node* node;
    size_t next;
  };
  std::vector<Node*> order;
  std::vector<bool> visited(graph.num_node_ids(), false);
  std::vector<Frame> stack;
  order.reserve(graph.num_op_nodes());
  // Post-order over inputs, first from the nodes that nobody waits for, then
  // (cycles only) from the rest.
  std::vector<Node*> roots;
  for (Node* node : graph.op_nodes()) {
    if (node->out_edges().empty()) roots.push_back(node);
  }
  for (Node* node : graph.op_nodes()) roots.push_back(node);
  for (Node* root : roots) {
    if (visited[root->id()]) continue;
    visited[root->id()] = true;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.node->in_edges().size()) {
        order.push_back(top.node);
        stack.pop_back();
        continue;
      }
      Node* src = (*(top.node->in_edges().begin() + top.next++))->src();
      if (src->IsOp() && !src->IsNextIteration() && !visited[src->id()]) {
        visited[src->id()] = true;
        stack.push_back({src, 0});
      }
    }
  }
  return order;
}

std::vector<bool> ReachesAny(const Graph& graph,
                             const std::vector<const Node*>& nodes) {
  std::vector<bool> reached(graph.num_node_ids(), false);
  std::vector<const Node*> stack;
  for (const Node* node : nodes) {
    if (!reached[node->id()]) {
      reached[node->id()] = true;
      stack.push_back(node);
    }
  }
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (const Edge* e : node->in_edges()) {
      if (!reached[e->src()->id()]) {
        reached[e->src()->id()] = true;
        stack.push_back(e->src());
      }
    }
  }
  return reached;
}

}  // namespace tensorwright
