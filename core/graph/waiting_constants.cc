// SPDX-License-Identifier: Apache-2.0
// FreeWaitingConstants.
#include "core/graph/waiting_constants.h"

#include <vector>

namespace tensorwright {
namespace {

// More edges than this would cost more than the constant.
constexpr size_t kMaxEdges = 4;

std::vector<const Edge*> EdgesFromOps(const Node& node) {
  std::vector<const Edge*> edges;
  for (const Edge* e : node.in_edges()) {
    if (e->src()->IsOp()) edges.push_back(e);
  }
  return edges;
}

// Would the reader be dead, or late, whenever the constant was?  A Merge would
// not, since it passes on the first value to come, nor would a node that takes
// a dead value out of the partition.
bool CanWaitItself(const Node& reader) {
  return reader.IsOp() && !reader.IsMerge() && !reader.IsRetval() &&
         !reader.IsTransfer() && !reader.IsControlTrigger();
}

bool AllReadersCanWait(const Node& constant) {
  for (const Edge* e : constant.out_edges()) {
    if (!CanWaitItself(*e->dst())) return false;
  }
  return true;
}

bool HasEdge(const Node& from, const Node& to) {
  for (const Edge* e : to.in_edges()) {
    if (e->src() == &from) return true;
  }
  return false;
}

void MoveToReaders(Graph* graph, Node* constant,
                   const std::vector<const Edge*>& waits) {
  std::vector<Node*> sources, readers;
  for (const Edge* e : waits) sources.push_back(e->src());
  std::vector<const Edge*> obsolete = waits;
  for (const Edge* e : constant->out_edges()) {
    readers.push_back(e->dst());
    if (e->IsControlEdge()) obsolete.push_back(e);
  }
  for (Node* reader : readers) {
    for (Node* source : sources) {
      if (!HasEdge(*source, *reader)) graph->AddControlEdge(source, reader);
    }
  }
  for (const Edge* e : obsolete) graph->RemoveEdge(e);
}

}  // namespace

void FreeWaitingConstants(Graph* graph) {
  for (Node* node : graph->op_nodes()) {
    if (!node->IsConstant() || !AllReadersCanWait(*node)) continue;
    const std::vector<const Edge*> waits = EdgesFromOps(*node);
    if (!waits.empty() && waits.size() <= kMaxEdges) {
      MoveToReaders(graph, node, waits);
    }
  }
}

}  // namespace tensorwright
