// SPDX-License-Identifier: Apache-2.0
// Constant folding.
#include "core/common_runtime/device.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/session_threads.h"
#include "core/graph/passes/graph_passes_testutil.h"
#include "core/protobuf/config.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

class ConstantFoldingTest : public ::testing::Test {
 protected:
  ConstantFoldingTest() : threads_(1, 1) {
    ConfigProto config;
    TF_CHECK_OK(DeviceFactory::AddDevices(
        config, "/job:localhost/replica:0/task:0", &threads_, &devices_));
  }

  Optimized Fold(const std::vector<OutputRef>& feeds,
                 const std::vector<OutputRef>& fetches,
                 const std::vector<Node*>& targets = {},
                 const GraphPassOptions& options = {}) {
    return RunPasses(g_, {"constant_folding"}, feeds, fetches, targets, options,
                     devices_[0].get());
  }

  static Tensor ValueOf(const Node& node) {
    Tensor value;
    TF_CHECK_OK(Tensor::ParseProto(node.FindAttr("value")->tensor(), &value));
    return value;
  }

  SessionThreads threads_;
  std::vector<std::unique_ptr<Device>> devices_;
  LiveGraph g_;
};

TEST_F(ConstantFoldingTest, ComputesWhatFollowsFromConstants) {
  const OutputRef a = FloatConst(&g_, {1, 2}, {2});
  const OutputRef sum = Add(&g_, "Add", {a, a}, {}, "sum");
  const OutputRef y = Add(&g_, "Mul", {sum, FloatConst(&g_, {10})}, {}, "y");
  const Optimized o = Fold({}, {y});
  ASSERT_EQ(o.Ops(), OpNames({"Const"}));
  EXPECT_EQ(o.Fetched(0)->name(), "y");
  EXPECT_EQ(ValueOf(*o.Fetched(0)).base<float>()[1], 40);
}

TEST_F(ConstantFoldingTest, LeavesStateTargetsAndFailuresAlone) {
  const OutputRef n = IntConst(&g_, Ints({2}));
  const OutputRef r =
      Add(&g_, "RandomUniform", {n}, {{"dtype", Attr("type: DT_FLOAT")}});
  EXPECT_EQ(Fold({}, {r}).Ops(), OpNames({"Const", "RandomUniform"}));
  const OutputRef t = Add(&g_, "Neg", {FloatConst(&g_, {1})});
  EXPECT_EQ(Fold({}, {}, {t.node}).Ops(), OpNames({"Const", "Neg"}));
  const OutputRef one = IntConst(&g_, Int(1));
  const OutputRef zero = IntConst(&g_, Int(0));
  const OutputRef bad = Add(&g_, "FloorDiv", {one, zero});
  EXPECT_EQ(Fold({}, {bad}).Ops(), OpNames({"Const", "Const", "FloorDiv"}));
}

TEST_F(ConstantFoldingTest, LargeResultsAreLeftToTheRun) {
  const OutputRef big = Add(
      &g_, "Fill", {IntConst(&g_, Ints({1000, 1000})), FloatConst(&g_, {1})});
  GraphPassOptions options;
  options.max_folded_bytes = 1 << 20;
  EXPECT_EQ(Fold({}, {big}, {}, options).Ops(),
            OpNames({"Const", "Const", "Fill"}));
  options.max_folded_bytes = 8 << 20;
  EXPECT_EQ(Fold({}, {big}, {}, options).Ops(), OpNames({"Const"}));
}

TEST_F(ConstantFoldingTest, KnownShapesAreConstants) {
  const OutputRef x = Placeholder(&g_, "dim { size: 2 } dim { size: 3 }");
  const OutputRef y = Add(&g_, "Neg", {x});
  const OutputRef size =
      Add(&g_, "Add", {Add(&g_, "Size", {y}), Add(&g_, "Rank", {y})});
  const Optimized o = Fold({x}, {size});
  ASSERT_EQ(o.Ops(), OpNames({"Const"}));
  EXPECT_EQ(ValueOf(*o.Fetched(0)).base<int32_t>()[0], 8);
  const OutputRef u = Placeholder(&g_, "dim { size: -1 }");
  EXPECT_EQ(Fold({u}, {Add(&g_, "Shape", {u})}).Ops(), OpNames({"Shape"}));
  EXPECT_EQ(Fold({u}, {Add(&g_, "Rank", {u})}).Ops(), OpNames({"Const"}));
}

TEST_F(ConstantFoldingTest, AConstantOfABranchStaysInIt) {
  const OutputRef x = Placeholder(&g_, "");
  const OutputRef p =
      Add(&g_, "Placeholder", {}, {{"dtype", Attr("type: DT_BOOL")}});
  const OutputRef s = Add(&g_, "Switch", {x, p});
  const OutputRef pivot =
      Add(&g_, "Identity", {OutputRef{s.node, 1}}, {}, "pivot");
  const OutputRef a = FloatConst(&g_, {1}, {}, "a", {pivot.node});
  const OutputRef y = Add(&g_, "Neg", {a}, {}, "y");
  const Optimized o = Fold({x, p}, {y});
  ASSERT_EQ(o.Ops(), OpNames({"Const", "Identity", "Switch"}));
  ASSERT_EQ(o.Fetched(0)->num_control_inputs(), 1);
  EXPECT_EQ((*o.Fetched(0)->in_edges().begin())->src()->name(), "pivot");
}

TEST_F(ConstantFoldingTest, WhatWaitedStillWaits) {
  const OutputRef x = Placeholder(&g_, "");
  const OutputRef first = Add(&g_, "Tanh", {x}, {}, "first");
  const OutputRef y =
      Add(&g_, "Neg", {FloatConst(&g_, {1})}, {}, "y", {}, "", {first.node});
  const OutputRef t = Add(&g_, "NoOp", {}, {}, "t", {}, "", {y.node});
  const Optimized o = Fold({x}, {}, {t.node});
  EXPECT_EQ(o.Ops(), OpNames({"NoOp", "Tanh"}));
  EXPECT_EQ((*o.Find("t")->in_edges().begin())->src()->name(), "first");
}

TEST_F(ConstantFoldingTest, FoldsEachOutputOfMany) {
  const OutputRef a = FloatConst(&g_, {1, 2, 3, 4}, {4});
  const OutputRef split = Add(&g_, "Split", {IntConst(&g_, Int(0)), a},
                              {{"num_split", Attr("i: 2")}});
  const OutputRef y =
      Add(&g_, "Sub", {OutputRef{split.node, 1}, OutputRef{split.node, 0}});
  const Optimized o = Fold({}, {y});
  ASSERT_EQ(o.Ops(), OpNames({"Const"}));
  EXPECT_EQ(ValueOf(*o.Fetched(0)).base<float>()[0], 2);
}

}  // namespace
}  // namespace tensorwright
