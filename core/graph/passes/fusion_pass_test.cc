// SPDX-License-Identifier: Apache-2.0
// The passes that make fused nodes.
#include "core/graph/passes/graph_passes_testutil.h"
#include "core/util/fused_program.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kMatrix[] = "dim { size: 2 } dim { size: 3 }";

FusedProgram ProgramOf(const Node& node) {
  FusedProgram program;
  TF_CHECK_OK(
      FusedProgram::Parse(AttrSlice(node.def()), node.num_inputs(), &program));
  return program;
}

TEST(FusedProgram, InfersShapesAndNamesTheStepThatFails) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, "");
  const OutputRef y = Placeholder(&g, "");
  const OutputRef square = Add(&g, "Square", {x}, {}, "square");
  const OutputRef sum = Add(&g, "Add", {square, y}, {}, "sum");
  FusedProgramBuilder builder(2);
  const int first = builder.AddStep(square.node->def(), {0});
  builder.AddResult(builder.AddStep(sum.node->def(), {first, 1}));
  NodeDef def;
  def.set_op("_FusedElementwise");
  builder.WriteAttrs(&def);
  EXPECT_EQ(FusedNames(def), std::vector<std::string>({"square", "sum"}));
  FusedProgram program;
  TF_CHECK_OK(FusedProgram::Parse(AttrSlice(def), 2, &program));
  EXPECT_EQ(program.DebugString(),
            "%2 = Square(%0)  # square\n%3 = Add(%2, %1)  # sum\n");
  std::vector<TensorShape> shapes;
  TF_CHECK_OK(program.InferShapes({TensorShape({4, 1}), TensorShape({3})},
                                  nullptr, &shapes));
  EXPECT_EQ(shapes[2], TensorShape({4, 1}));
  EXPECT_EQ(shapes[3], TensorShape({4, 3}));
  const Status bad = program.InferShapes({TensorShape({4}), TensorShape({3})},
                                         nullptr, &shapes);
  EXPECT_TRUE(errors::IsInvalidArgument(bad));
  EXPECT_EQ(errors::FailedNode(bad), "sum");
  // Operands must exist.
  EXPECT_TRUE(errors::IsInvalidArgument(
      FusedProgram::Parse(AttrSlice(def), 1, &program)));
  (*def.mutable_attr())["operands"].mutable_list()->set_i(0, 9);
  EXPECT_TRUE(errors::IsInvalidArgument(
      FusedProgram::Parse(AttrSlice(def), 2, &program)));
}

TEST(ElementwiseFusionPass, AChainIsOneNodeOfTheLastName) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Tanh", {x}, {}, "a");
  const OutputRef b = Add(&g, "Mul", {a, x}, {}, "b");
  const OutputRef c = Add(&g, "Exp", {b}, {}, "c");
  const Optimized o = RunPasses(g, {"elementwise_fusion"}, {x}, {c});
  ASSERT_EQ(o.Ops(), OpNames({"_FusedElementwise"}));
  const Node* fused = o.Fetched(0);
  EXPECT_EQ(fused->name(), "c");
  EXPECT_EQ(FusedNames(fused->def()),
            std::vector<std::string>({"a", "b", "c"}));
  EXPECT_EQ(fused->num_inputs(), 1);
  EXPECT_EQ(ProgramOf(*fused).results().size(), 1u);
}

TEST(ElementwiseFusionPass, WhatIsReadOutsideIsAResult) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Tanh", {x});
  const OutputRef b = Add(&g, "Exp", {a});
  const OutputRef t = Add(&g, "Neg", {b});
  const Optimized o =
      RunPasses(g, {"elementwise_fusion"}, {x}, {a, b}, {t.node});
  ASSERT_EQ(o.Ops(), OpNames({"_FusedElementwise"}));
  EXPECT_EQ(o.Fetched(0)->num_outputs(), 3);
  EXPECT_EQ(o.Find("_retval_1")->input_edge(0)->src_output(), 1);
}

TEST(ElementwiseFusionPass, NothingLeavesAClusterAndComesBack) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Exp", {Add(&g, "Tanh", {x})});
  const OutputRef product =
      Add(&g, "MatMul", {a, a}, {{"transpose_b", Attr("b: true")}});
  const OutputRef scalar =
      Add(&g, "Sum", {product, IntConst(&g, Ints({0, 1}))});
  const OutputRef b = Add(&g, "Exp", {Add(&g, "Mul", {a, scalar})});
  const Optimized o = RunPasses(g, {"elementwise_fusion"}, {x}, {b});
  EXPECT_EQ(o.Ops(), OpNames({"Const", "MatMul", "Sum", "_FusedElementwise",
                              "_FusedElementwise"}));
}

TEST(ElementwiseFusionPass, AControlEdgeIsAPathToo) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef a = Add(&g, "Exp", {Add(&g, "Tanh", {x})});
  const OutputRef t = Add(&g, "NoOp", {}, {}, "t", {}, "", {a.node});
  const OutputRef b = Add(&g, "Neg", {a}, {}, "b", {}, "", {t.node});
  const OutputRef c = Add(&g, "Exp", {b});
  const Optimized o = RunPasses(g, {"elementwise_fusion"}, {x}, {c});
  EXPECT_EQ(o.Ops(),
            OpNames({"NoOp", "_FusedElementwise", "_FusedElementwise"}));
}

TEST(ElementwiseFusionPass, AnEarlierClusterJoinsItsOnlyReader) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef y = Placeholder(&g, kMatrix);
  const OutputRef product =
      Add(&g, "MatMul", {x, y}, {{"transpose_b", Attr("b: true")}});
  const OutputRef early = Add(&g, "Exp", {Add(&g, "Tanh", {x})});
  const OutputRef late =
      Add(&g, "Mul",
          {Add(&g, "Sum", {product, IntConst(&g, Ints({0, 1}))}), early});
  const Optimized o = RunPasses(g, {"elementwise_fusion"}, {x, y}, {late});
  EXPECT_EQ(o.Ops(), OpNames({"Const", "MatMul", "Sum", "_FusedElementwise"}));
}

TEST(ElementwiseFusionPass, WithDeadValuesAClusterHasOneResult) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef p =
      Add(&g, "Placeholder", {}, {{"dtype", Attr("type: DT_BOOL")}});
  const OutputRef s = Add(&g, "Switch", {x, p});
  const OutputRef dead = Add(&g, "Exp", {OutputRef{s.node, 1}});
  const OutputRef live = Add(&g, "Tanh", {Add(&g, "Neg", {x})});
  const OutputRef both = Add(&g, "Add", {dead, live});
  const OutputRef merge =
      Add(&g, "Merge", {both, OutputRef{s.node, 0}}, {}, "", {2});
  const Optimized o =
      RunPasses(g, {"elementwise_fusion"}, {x, p}, {live, merge});
  for (const Node* node : o.graph().op_nodes()) {
    if (node->type_string() == "_FusedElementwise") {
      EXPECT_EQ(node->num_outputs(), 1);
    }
  }
  EXPECT_EQ(o.Ops(), OpNames({"Merge", "Switch", "_FusedElementwise",
                              "_FusedElementwise"}));
}

TEST(ElementwiseFusionPass, LeavesOtherTypesAndReferencesAlone) {
  LiveGraph g;
  const OutputRef s =
      Add(&g, "Placeholder", {}, {{"dtype", Attr("type: DT_STRING")}});
  const OutputRef joined = Add(&g, "Add", {Add(&g, "Add", {s, s}), s});
  EXPECT_EQ(RunPasses(g, {"elementwise_fusion"}, {s}, {joined}).Ops(),
            OpNames({"Add", "Add"}));
  const OutputRef v =
      Add(&g, "VariableV2", {},
          {{"dtype", Attr("type: DT_FLOAT")}, {"shape", Attr("shape { }")}});
  const OutputRef y = Add(&g, "Exp", {Add(&g, "Neg", {v})});
  EXPECT_EQ(RunPasses(g, {"elementwise_fusion"}, {}, {y}).Ops(),
            OpNames({"Exp", "Neg", "VariableV2"}));
}

// ---- contractions ----------------------------------------------------------

TEST(ContractionFusionPass, ProductBiasAndActivationAreOne) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef w = Placeholder(&g, "dim { size: 3 } dim { size: 5 }");
  const OutputRef b = Placeholder(&g, "dim { size: 5 }");
  const OutputRef product = Add(&g, "MatMul", {x, w}, {}, "product");
  const OutputRef biased = Add(&g, "BiasAdd", {product, b}, {}, "biased");
  const OutputRef y = Add(&g, "Relu", {biased}, {}, "y");
  const Optimized o = RunPasses(g, {"contraction_fusion"}, {x, w, b}, {y});
  ASSERT_EQ(o.Ops(), OpNames({"_FusedMatMul"}));
  EXPECT_EQ(FusedNames(o.Fetched(0)->def()),
            std::vector<std::string>({"product", "biased", "y"}));
  EXPECT_EQ(o.Fetched(0)->name(), "y");
  // A second reader takes the value in between.
  EXPECT_EQ(RunPasses(g, {"contraction_fusion"}, {x, w, b}, {y, biased}).Ops(),
            OpNames({"Relu", "_FusedMatMul"}));
  EXPECT_EQ(RunPasses(g, {"contraction_fusion"}, {x, w, b}, {y, product}).Ops(),
            OpNames({"BiasAdd", "MatMul", "Relu"}));
}

TEST(ContractionFusionPass, AnAddOfAVectorIsABias) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kMatrix);
  const OutputRef w = Placeholder(&g, "dim { size: 3 } dim { size: 5 }");
  const OutputRef b = Placeholder(&g, "dim { size: 5 }");
  const OutputRef m = Placeholder(&g, "dim { size: -1 }");
  const auto ops = [&](OutputRef y, OutputRef bias) {
    return RunPasses(g, {"contraction_fusion"}, {x, w, bias}, {y}).Ops();
  };
  EXPECT_EQ(ops(Add(&g, "Add", {Add(&g, "MatMul", {x, w}), b}), b),
            OpNames({"_FusedMatMul"}));
  EXPECT_EQ(ops(Add(&g, "Add", {Add(&g, "MatMul", {x, w}), m}), m),
            OpNames({"Add", "MatMul"}));
}

TEST(ContractionFusionPass, ConvolutionsToo) {
  LiveGraph g;
  const OutputRef x = Placeholder(
      &g, "dim { size: 1 } dim { size: 4 } dim { size: 4 } dim { size: 3 }");
  const OutputRef w = Placeholder(
      &g, "dim { size: 2 } dim { size: 2 } dim { size: 3 } dim { size: 5 }");
  const OutputRef b = Placeholder(&g, "dim { size: 5 }");
  const OutputRef c = Add(&g, "Conv2D", {x, w},
                          {{"strides", Attr("list { i: [1, 1, 1, 1] }")},
                           {"padding", Attr("s: 'SAME'")}});
  const OutputRef y = Add(&g, "Relu", {Add(&g, "BiasAdd", {c, b})});
  EXPECT_EQ(RunPasses(g, {"contraction_fusion"}, {x, w, b}, {y}).Ops(),
            OpNames({"_FusedConv2D"}));
}

}  // namespace
}  // namespace tensorwright
