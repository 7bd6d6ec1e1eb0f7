// SPDX-License-Identifier: Apache-2.0
// LiveGraph: names, attrs, versions, mutation.
#include "core/graph/live_graph.h"

#include "core/graph/graph_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

TEST(LiveGraph, MakesNamesUnique) {
  LiveGraph g;
  EXPECT_EQ(Add(&g, "NoOp", {}).node->name(), "NoOp");
  EXPECT_EQ(Add(&g, "NoOp", {}).node->name(), "NoOp_1");
  EXPECT_EQ(Add(&g, "NoOp", {}).node->name(), "NoOp_2");
  EXPECT_EQ(g.UniqueName("NoOp"), "NoOp_3");
  EXPECT_EQ(g.UniqueName("fresh"), "fresh");
}

TEST(LiveGraph, RefusesTakenAndMalformedNames) {
  LiveGraph g;
  Add(&g, "NoOp", {}, {}, "a");
  EXPECT_TRUE(
      errors::IsInvalidArgument(TryAdd(&g, "NoOp", {}, {}, "a").status()));
  EXPECT_TRUE(
      errors::IsInvalidArgument(TryAdd(&g, "NoOp", {}, {}, "a b").status()));
}

TEST(LiveGraph, InfersTypesAndDefaults) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: 2 }");
  const OutputRef y = Add(&g, "Shape", {x});
  EXPECT_EQ(y.node->FindAttr("T")->type(), DT_FLOAT);
  EXPECT_EQ(y.node->output_type(0), DT_INT32);
  EXPECT_EQ(g.OutputShape(y).DebugString(), "[1]");
}

TEST(LiveGraph, AFailedNodeLeavesNothingBehind) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: 2 }");
  const int64_t version = g.version();
  const int edges = g.graph().num_edges();
  EXPECT_FALSE(TryAdd(&g, "NoSuchOp", {}).ok());
  EXPECT_FALSE(TryAdd(&g, "Identity", {}).ok());
  EXPECT_FALSE(TryAdd(&g, "Identity", {x, x}).ok());
  EXPECT_FALSE(TryAdd(&g, "Identity", {{x.node, 1}}).ok());
  // The shape function refuses.
  EXPECT_FALSE(
      TryAdd(&g, "Reshape", {x, IntConst(&g, Ints({3}))}, {}, "r").ok());
  EXPECT_EQ(g.FindNode("r"), nullptr);
  EXPECT_EQ(g.version(), version + 1);  // The Const.
  EXPECT_EQ(g.graph().num_edges(), edges);
}

TEST(LiveGraph, GrowthAndMutationHaveVersions) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: 2 }");
  const OutputRef y = Add(&g, "Identity", {x});
  const int64_t mutations = g.mutation_version();
  const int64_t version = g.version();
  const OutputRef other = Placeholder(&g, "dim { size: 2 }");
  EXPECT_EQ(g.mutation_version(), mutations);
  EXPECT_GT(g.version(), version);
  ASSERT_EQ(g.UpdateInput(y.node, 0, other), OkStatus());
  EXPECT_GT(g.mutation_version(), mutations);
  EXPECT_EQ(y.node->input_node(0), other.node);
}

TEST(LiveGraph, KeepsTheTypeOfANode) {
  LiveGraph g;
  Node* node = Placeholder(&g, "dim { size: 2 }").node;
  const int64_t mutations = g.mutation_version();
  FullTypeDef type;
  type.set_type_id(TFT_PRODUCT);
  type.add_args()->set_type_id(TFT_TENSOR);
  ASSERT_EQ(g.SetExperimentalType(node, type), OkStatus());
  // Nothing computes with the changed attr: compiled plans stay good.
  EXPECT_EQ(g.mutation_version(), mutations);
  NodeDef def;
  g.ToNodeDef(*node, &def);
  EXPECT_EQ(def.experimental_type().args(0).type_id(), TFT_TENSOR);
  EXPECT_FALSE(g.SetExperimentalType(node, type.args(0)).ok());
  type.set_type_id(static_cast<FullTypeId>(77));
  EXPECT_FALSE(g.SetExperimentalType(node, type).ok());
}

TEST(LiveGraph, ChecksMutations) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: 2 }");
  const OutputRef ints = IntConst(&g, Int(1));
  const OutputRef y = Add(&g, "Identity", {x});
  EXPECT_FALSE(g.UpdateInput(y.node, 0, ints).ok());
  EXPECT_FALSE(g.UpdateInput(y.node, 1, x).ok());
  EXPECT_FALSE(g.SetAttr(y.node, "T", Attr("type: DT_INT32")).ok());
  EXPECT_FALSE(g.ClearAttr(y.node, "T").ok());
  EXPECT_FALSE(g.AddControlInput(y.node, y.node).ok());
  EXPECT_FALSE(g.SetShape(x, PartialTensorShape({3})).ok());
  ASSERT_EQ(g.SetAttr(y.node, "_mine", Attr("i: 3")), OkStatus());
  EXPECT_EQ(y.node->FindAttr("_mine")->i(), 3);
  ASSERT_EQ(g.SetDevice(y.node, "/cpu:0"), OkStatus());
  EXPECT_EQ(y.node->requested_device(), "/cpu:0");
  EXPECT_EQ(g.FindNode(y.node->name()), y.node);
}

TEST(LiveGraph, SetShapeMerges) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "dim { size: -1 } dim { size: 3 }");
  ASSERT_EQ(g.SetShape(x, PartialTensorShape({5, -1})), OkStatus());
  EXPECT_EQ(g.OutputShape(x).DebugString(), "[5,3]");
}

TEST(LiveGraph, WritesShapesWhenAsked) {
  LiveGraph g;
  Placeholder(&g, "dim { size: 2 }", "x");
  GraphDef def;
  g.ToGraphDef(&def, /*add_shapes=*/true);
  EXPECT_EQ(
      def.node(0).attr().at("_output_shapes").list().shape(0).dim(0).size(), 2);
}

}  // namespace
}  // namespace tensorwright
