// SPDX-License-Identifier: Apache-2.0
// Scaled gradients in optimizers' steps; python/client/update_fusion_test.py
// compares their results with whole runs.
#include "core/graph/passes/graph_passes_testutil.h"
#include "core/util/fused_program.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kVector[] = "dim { size: 3 }";

class UpdateFusionTest : public ::testing::Test {
 protected:
  UpdateFusionTest()
      : variable_(Add(&g_, "VariableV2", {},
                      {{"dtype", Attr("type: DT_FLOAT")},
                       {"shape", Attr("shape { dim { size: 3 } }")}})),
        gradient_(Placeholder(&g_, kVector)),
        scale_(Placeholder(&g_, "")),
        rate_(Placeholder(&g_, "")) {}

  OutputRef Step(OutputRef gradient) {
    return Add(&g_, "ApplyGradientDescent", {variable_, rate_, gradient});
  }
  OpNames OpsAfter(OutputRef step, std::vector<OutputRef> fetches = {},
                   std::vector<Node*> targets = {}) {
    const OutputRef done = Add(&g_, "NoOp", {}, {}, "", {}, "", {step.node});
    targets.push_back(done.node);
    return RunPasses(g_, {"update_fusion"}, {gradient_, scale_, rate_}, fetches,
                     targets)
        .Ops();
  }

  LiveGraph g_;
  const OutputRef variable_, gradient_, scale_, rate_;
};

TEST_F(UpdateFusionTest, TheScalarGoesIntoTheStep) {
  const OpNames fused({"NoOp", "VariableV2", "_FusedUpdate"});
  EXPECT_EQ(OpsAfter(Step(Add(&g_, "Mul", {gradient_, scale_}))), fused);
  const OutputRef step =
      Step(Add(&g_, "Mul", {scale_, gradient_}, {}, "product"));
  const OutputRef after = Add(&g_, "NoOp", {}, {}, "", {}, "", {step.node});
  const Optimized o = RunPasses(g_, {"update_fusion"},
                                {gradient_, scale_, rate_}, {}, {after.node});
  EXPECT_EQ(o.Ops(), fused);
  const Node* node = o.Find(step.node->name());
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(FusedNames(node->def()),
            std::vector<std::string>({"product", step.node->name()}));
  EXPECT_EQ(node->num_inputs(), 4);
  EXPECT_EQ(node->out_edges().size(), 1u);
}

TEST_F(UpdateFusionTest, ASharedProductStays) {
  const OutputRef product = Add(&g_, "Mul", {gradient_, scale_});
  const OpNames apart({"ApplyGradientDescent", "Mul", "NoOp", "VariableV2"});
  EXPECT_EQ(OpsAfter(Step(product), {product}), apart);
  EXPECT_EQ(OpsAfter(Step(product), {}, {product.node}), apart);
  EXPECT_EQ(OpsAfter(Step(Add(&g_, "Mul", {gradient_, gradient_}))), apart)
      << "no scalar";
}

// The gradient of x^2 / 2 is x itself, which another step may change.
TEST_F(UpdateFusionTest, AVariablesValueIsScaledWhenItIsRead) {
  const OutputRef read = Add(&g_, "Identity", {variable_});
  EXPECT_EQ(OpsAfter(Step(Add(&g_, "Mul", {read, scale_}))),
            OpNames({"ApplyGradientDescent", "Identity", "Mul", "NoOp",
                     "VariableV2"}));
}

}  // namespace
}  // namespace tensorwright
