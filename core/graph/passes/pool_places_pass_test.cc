// SPDX-License-Identifier: Apache-2.0
// Pools that keep positions; python/client/pool_places_test.py compares their
// results with whole runs.
#include <string>
#include <vector>

#include "core/graph/passes/graph_passes_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kImages[] =
    "dim { size: 2 } dim { size: 8 } dim { size: 8 } dim { size: 3 }";
constexpr char kPooled[] =
    "dim { size: 2 } dim { size: 4 } dim { size: 4 } dim { size: 3 }";

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

Attrs Window(int size) {
  const std::string list =
      absl::StrCat("list { i: 1 i: ", size, " i: ", size, " i: 1 }");
  return {{"ksize", Attr(list)},
          {"strides", Attr("list { i: 1 i: 2 i: 2 i: 1 }")},
          {"padding", Attr("s: 'SAME'")}};
}

class PoolPlacesTest : public ::testing::Test {
 protected:
  OutputRef Pool(OutputRef x, int window = 3) {
    return Add(&g_, "MaxPool", {x}, Window(window));
  }
  OutputRef Grad(OutputRef x, OutputRef y, int window = 3) {
    return Add(&g_, "MaxPoolGrad", {x, y, dy_}, Window(window));
  }
  Optimized After(const std::vector<OutputRef>& fetches,
                  const std::vector<Node*>& targets = {}) {
    return RunPasses(g_, {"pool_places"}, {x_, other_, dy_}, fetches, targets);
  }

  LiveGraph g_;
  OutputRef x_ = Placeholder(&g_, kImages);
  OutputRef other_ = Placeholder(&g_, kImages);
  OutputRef dy_ = Placeholder(&g_, kPooled);
};

TEST_F(PoolPlacesTest, TheGradientReadsPlaces) {
  const OutputRef y = Pool(x_);
  const Optimized o = After({y, Grad(x_, y)});
  EXPECT_EQ(o.Ops(), OpNames({"_MaxPool", "_MaxPoolGrad"}));
  const Node* pool = o.Fetched(0);
  const Node* grad = o.Fetched(1);
  EXPECT_EQ(pool->name(), y.node->name());
  EXPECT_EQ(grad->input_edge(1)->src(), pool);
  EXPECT_EQ(grad->input_edge(1)->src_output(), 1);
  EXPECT_EQ(grad->FindAttr("ksize")->list().i(1), 3);
}

TEST_F(PoolPlacesTest, SeveralGradientsShareThem) {
  const OutputRef y = Pool(x_);
  const Optimized o = After({Grad(x_, y), Grad(x_, y)});
  EXPECT_EQ(o.Ops(), OpNames({"_MaxPool", "_MaxPoolGrad", "_MaxPoolGrad"}));
}

TEST_F(PoolPlacesTest, WithoutAGradientNothingIsKept) {
  EXPECT_EQ(After({Pool(x_)}).Ops(), OpNames({"MaxPool"}));
}

TEST_F(PoolPlacesTest, OtherGradientsStay) {
  const OpNames apart({"MaxPool", "MaxPoolGrad"});
  const OutputRef y = Pool(x_);
  EXPECT_EQ(After({Grad(other_, y)}).Ops(), apart);
  EXPECT_EQ(After({Grad(x_, y, 2)}).Ops(), apart);
  const OutputRef large = Pool(x_, 9);
  EXPECT_EQ(After({Grad(x_, large, 9)}).Ops(), apart);
}

TEST_F(PoolPlacesTest, TargetsStayTargets) {
  const OutputRef y = Pool(x_);
  const OutputRef grad = Grad(x_, y);
  const Optimized o = RunPasses(g_, {"pool_places", "common_subexpressions"},
                                {x_, dy_}, {}, {y.node, grad.node});
  EXPECT_EQ(o.Ops(), OpNames({"_MaxPool", "_MaxPoolGrad"}));
}

}  // namespace
}  // namespace tensorwright
