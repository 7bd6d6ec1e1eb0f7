// SPDX-License-Identifier: Apache-2.0
// Partitioning.  The session's tests run the partitions.
#include "core/graph/graph_partition.h"

#include <map>

#include "core/graph/graph_testutil.h"
#include "core/graph/validate.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

// By device: how many nodes of each op.
using Counts = std::map<std::string, std::map<std::string, int>>;

// Partitions a copy of `g` in which the requested devices are the assigned
// ones.
Status Partition(const LiveGraph& g, Counts* counts) {
  Graph graph(OpRegistry::Global());
  std::map<const Node*, Node*> copies;
  for (const Node* n : g.graph().op_nodes()) {
    copies[n] = graph.CopyNode(*n);
    copies[n]->set_assigned_device_name(n->requested_device());
  }
  for (const Node* n : g.graph().op_nodes()) {
    for (const Edge* e : n->in_edges()) {
      graph.AddEdge(copies[e->src()], e->src_output(), copies[n],
                    e->dst_input());
    }
  }
  PartitionOptions options;
  options.incarnation = [](const std::string&) { return uint64_t{7}; };
  std::vector<DevicePartition> parts;
  TF_RETURN_IF_ERROR(PartitionGraph(options, graph, &parts));
  for (const DevicePartition& part : parts) {
    TF_RETURN_IF_ERROR(ValidateGraph(*part.graph));
    for (const Node* n : part.graph->op_nodes()) {
      ++(*counts)[part.device][n->type_string()];
    }
  }
  return OkStatus();
}

TEST(PartitionGraph, OneTransferServesAllConsumersOnADevice) {
  LiveGraph g;
  const Attrs attrs = {{"dtype", Attr("type: DT_FLOAT")}};
  const OutputRef x = Add(&g, "Placeholder", {}, attrs, "", {}, "A");
  Add(&g, "Identity", {x}, {}, "", {}, "B");
  Add(&g, "Identity", {x}, {}, "", {}, "B");
  Add(&g, "Identity", {x}, {}, "", {}, "A");
  Counts counts;
  ASSERT_EQ(Partition(g, &counts), OkStatus());
  EXPECT_EQ(counts["A"]["_Send"], 1);
  EXPECT_EQ(counts["B"]["_Recv"], 1);
  EXPECT_EQ(counts["B"]["Identity"], 2);
}

TEST(PartitionGraph, ControlEdgesSendAnEmptyTensor) {
  LiveGraph g;
  const OutputRef a = Add(&g, "NoOp", {}, {}, "", {}, "A");
  Add(&g, "NoOp", {}, {}, "", {}, "B", {a.node});
  Counts counts;
  ASSERT_EQ(Partition(g, &counts), OkStatus());
  EXPECT_EQ(counts["A"]["Const"], 1);
  EXPECT_EQ(counts["A"]["_Send"], 1);
  EXPECT_EQ(counts["B"]["_Recv"], 1);
}

TEST(PartitionGraph, AReferenceCannotCross) {
  LiveGraph g;
  const OutputRef v =
      Add(&g, "VariableV2", {},
          {{"dtype", Attr("type: DT_FLOAT")}, {"shape", Attr("shape {}")}}, "",
          {}, "A");
  const OutputRef x = Placeholder(&g, "");
  ASSERT_EQ(g.SetDevice(x.node, "B"), OkStatus());
  Add(&g, "Assign", {v, x}, {}, "", {}, "B");
  Counts counts;
  EXPECT_TRUE(errors::IsInvalidArgument(Partition(g, &counts)));
}

}  // namespace
}  // namespace tensorwright
