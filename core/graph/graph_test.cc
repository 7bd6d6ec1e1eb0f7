// SPDX-License-Identifier: Apache-2.0
// Graph, its edges and orders.
#include "core/graph/graph.h"

#include <map>

#include "core/graph/algorithm.h"
#include "core/graph/graph_testutil.h"
#include "core/graph/tensor_id.h"
#include "core/graph/validate.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

Node* AddNoOp(Graph* graph, const std::string& name) {
  NodeDef def;
  def.set_op("NoOp");
  def.set_name(name);
  Status status;
  Node* node = graph->AddNode(std::move(def), &status);
  TF_CHECK_OK(status);
  return node;
}

TEST(Graph, IdsAreDenseAndRemovalLeavesHoles) {
  Graph graph(OpRegistry::Global());
  Node* a = AddNoOp(&graph, "a");
  Node* b = AddNoOp(&graph, "b");
  EXPECT_EQ(a->id(), 2);
  EXPECT_EQ(b->id(), 3);
  graph.AddControlEdge(a, b);
  graph.RemoveNode(a);
  EXPECT_EQ(graph.num_op_nodes(), 1);
  EXPECT_EQ(graph.FindNodeId(2), nullptr);
  EXPECT_TRUE(b->in_edges().empty());
  EXPECT_EQ(AddNoOp(&graph, "c")->id(), 4);
}

TEST(Graph, ControlEdgesAreUniqueAndRemovable) {
  Graph graph(OpRegistry::Global());
  Node* hub = AddNoOp(&graph, "hub");
  std::vector<const Edge*> edges;
  for (int i = 0; i < 10; ++i) {
    Node* n = AddNoOp(&graph, "n" + std::to_string(i));
    edges.push_back(graph.AddControlEdge(hub, n));
    EXPECT_EQ(graph.AddControlEdge(hub, n), nullptr);
  }
  for (int i : {0, 9, 4}) graph.RemoveEdge(edges[i]);
  EXPECT_EQ(hub->out_edges().size(), 7u);
  EXPECT_EQ(graph.num_edges(), 7);
  for (const Edge* e : hub->out_edges()) EXPECT_EQ(e->src(), hub);
}

TEST(Graph, NoSuchOpIsAnErrorAndChangesNothing) {
  Graph graph(OpRegistry::Global());
  NodeDef def;
  def.set_op("NoSuchOp");
  Status status;
  EXPECT_EQ(graph.AddNode(std::move(def), &status), nullptr);
  EXPECT_TRUE(errors::IsNotFound(status)) << status;
  EXPECT_EQ(graph.num_op_nodes(), 0);
}

TEST(Graph, OrdersPutInputsFirst) {
  Graph graph(OpRegistry::Global());
  std::vector<Node*> nodes;
  for (int i = 0; i < 50; ++i) {
    nodes.push_back(AddNoOp(&graph, "n" + std::to_string(i)));
  }
  // Runs against the order of ids, so that neither order is trivial.
  for (int i = 0; i < 50; ++i) {
    for (int k : {i + 1, i + 7, i + 20}) {
      if (k < 50) graph.AddControlEdge(nodes[k], nodes[i]);
    }
  }
  for (const auto& order : {TopologicalOrder(graph), DepthFirstOrder(graph)}) {
    ASSERT_EQ(order.size(), 50u);
    std::map<const Node*, int> at;
    for (size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
    for (const Node* n : order) {
      for (const Edge* e : n->in_edges()) EXPECT_LT(at[e->src()], at[n]);
    }
  }
}

TEST(Graph, ValidationNamesCyclesAndOpenInputs) {
  Graph graph(OpRegistry::Global());
  Node* a = AddNoOp(&graph, "a");
  Node* b = AddNoOp(&graph, "b");
  graph.AddControlEdge(a, b);
  EXPECT_EQ(ValidateGraph(graph), OkStatus());
  graph.AddControlEdge(b, a);
  EXPECT_TRUE(errors::IsInvalidArgument(ValidateGraph(graph)));
  LiveGraph live;
  const OutputRef x = Placeholder(&live, "");
  const OutputRef y = Add(&live, "Identity", {x});
  Graph open(OpRegistry::Global());
  open.CopyNode(*y.node);
  EXPECT_TRUE(errors::IsInvalidArgument(ValidateGraph(open)));
}

TEST(TensorId, Parses) {
  EXPECT_EQ(ParseTensorName("a").index(), 0);
  EXPECT_EQ(ParseTensorName("a:12").index(), 12);
  EXPECT_EQ(ParseTensorName("a:12").node(), "a");
  EXPECT_TRUE(ParseTensorName("^a").IsControl());
  EXPECT_EQ(ParseTensorName("a:x").node(), "a:x");
  EXPECT_EQ(ParseTensorName("a:99999999999").node(), "a:99999999999");
  for (const char* name : {"a", "a:3", "^a"}) {
    EXPECT_EQ(ParseTensorName(name).ToString(), name);
  }
}

}  // namespace
}  // namespace tensorwright
