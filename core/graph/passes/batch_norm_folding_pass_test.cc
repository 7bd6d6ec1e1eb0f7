// SPDX-License-Identifier: Apache-2.0
// Batch norms after convolutions; python/client/batch_norm_folding_test.py
// compares the numbers with whole runs.
#include "core/graph/passes/graph_passes_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kImages[] =
    "dim { size: 1 } dim { size: 4 } dim { size: 4 } dim { size: 1 }";
const Attrs kConv = {{"strides", Attr("list { i: 1 i: 1 i: 1 i: 1 }")},
                     {"padding", Attr("s: 'SAME'")}};

OutputRef Conv(LiveGraph* g, OutputRef x) {
  return Add(g, "Conv2D", {x, FloatConst(g, {3, 5}, {1, 1, 1, 2})}, kConv);
}

OutputRef BatchNorm(LiveGraph* g, OutputRef x, const std::string& training,
                    const std::vector<float>& variance) {
  return Add(
      g, "FusedBatchNorm",
      {x, FloatConst(g, {2, 4}, {2}), FloatConst(g, {10, 20}, {2}),
       FloatConst(g, {1, 2}, {2}), FloatConst(g, variance, {2})},
      {{"is_training", Attr("b: " + training)}, {"epsilon", Attr("f: 0.0")}});
}

std::vector<float> Floats(const Node* constant) {
  Tensor t;
  EXPECT_TRUE(
      Tensor::ParseProto(constant->FindAttr("value")->tensor(), &t).ok());
  return std::vector<float>(t.base<float>(), t.base<float>() + t.NumElements());
}

TEST(BatchNormFoldingPass, TheFilterIsScaledAndTheRestIsABias) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kImages);
  const OutputRef norm = BatchNorm(&g, Conv(&g, x), "false", {4, 16});
  const Optimized o = RunPasses(g, {"batch_norm_folding"}, {x}, {norm});
  ASSERT_EQ(o.Ops(), OpNames({"BiasAdd", "Const", "Const", "Conv2D"}));
  const Node* bias_add = o.Fetched(0);
  EXPECT_EQ(bias_add->name(), norm.node->name());
  // scale / sqrt(variance) = 1, 1; offset - mean * that = 9, 18.
  EXPECT_EQ(Floats(bias_add->input_node(1)), (std::vector<float>{9, 18}));
  EXPECT_EQ(Floats(bias_add->input_node(0)->input_node(1)),
            (std::vector<float>{3, 5}));
}

TEST(BatchNormFoldingPass, ABiasAndAProductBetweenThemAreFoldedToo) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kImages);
  const OutputRef biased =
      Add(&g, "BiasAdd", {Conv(&g, x), FloatConst(&g, {7, 8}, {2})});
  const OutputRef product =
      Add(&g, "Mul", {biased, FloatConst(&g, {2, 3}, {2})});
  const OutputRef norm = BatchNorm(&g, product, "false", {4, 16});
  const Optimized o = RunPasses(g, {"batch_norm_folding"}, {x}, {norm});
  ASSERT_EQ(o.Ops(), OpNames({"BiasAdd", "Const", "Const", "Conv2D"}));
  EXPECT_EQ(Floats(o.Fetched(0)->input_node(1)),
            (std::vector<float>{7 * 2 + 9, 8 * 3 + 18}));
  EXPECT_EQ(Floats(o.Fetched(0)->input_node(0)->input_node(1)),
            (std::vector<float>{6, 15}));
}

TEST(BatchNormFoldingPass, WhatIsNotKnownOrReadElsewhereStays) {
  LiveGraph g;
  const OutputRef x = Placeholder(&g, kImages);
  const auto is_kept = [&](OutputRef norm, std::vector<OutputRef> feeds,
                           std::vector<OutputRef> fetches) {
    fetches.push_back(norm);
    const Optimized o = RunPasses(g, {"batch_norm_folding"}, feeds, fetches);
    const OpNames ops = o.Ops();
    return std::count(ops.begin(), ops.end(), "FusedBatchNorm") == 1;
  };
  const OutputRef conv = Conv(&g, x);
  EXPECT_TRUE(is_kept(BatchNorm(&g, Conv(&g, x), "true", {}), {x}, {}))
      << "its statistics are those of x";
  const OutputRef norm = BatchNorm(&g, conv, "false", {4, 16});
  EXPECT_FALSE(is_kept(norm, {x}, {}));
  EXPECT_TRUE(is_kept(norm, {x}, {conv})) << "the convolution is fetched";
  EXPECT_TRUE(is_kept(norm, {x}, {OutputRef{norm.node, 1}}));
  OutputRef scale{norm.node->input_node(1), 0};
  EXPECT_TRUE(is_kept(norm, {x, scale}, {})) << "the scale is fed";
  EXPECT_TRUE(is_kept(BatchNorm(&g, Conv(&g, x), "false", {4, -1}), {x}, {}))
      << "the square root of -1 is for the run to find";
}

}  // namespace
}  // namespace tensorwright
