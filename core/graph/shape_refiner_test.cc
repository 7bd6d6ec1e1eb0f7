// SPDX-License-Identifier: Apache-2.0
// Static shapes, with values followed through integer arithmetic.
#include "core/graph/shape_refiner.h"

#include "core/graph/graph_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

class ShapeRefinerTest : public ::testing::Test {
 protected:
  std::string ReshapedTo(OutputRef x, OutputRef shape) {
    return g_.OutputShape(Add(&g_, "Reshape", {x, shape})).DebugString();
  }
  OutputRef Element(OutputRef x, int i) {
    return Add(&g_, "StridedSlice",
               {x, IntConst(&g_, Ints({i})), IntConst(&g_, Ints({i + 1})),
                IntConst(&g_, Ints({1}))},
               {{"shrink_axis_mask", Attr("i: 1")}});
  }
  OutputRef Pack(const std::vector<OutputRef>& parts) {
    return Add(&g_, "Pack", parts, {}, "", {static_cast<int>(parts.size())});
  }

  LiveGraph g_;
};

TEST_F(ShapeRefinerTest, ReshapeToAConstant) {
  const OutputRef x = Placeholder(&g_, "dim { size: 4 } dim { size: 3 }");
  EXPECT_EQ(ReshapedTo(x, IntConst(&g_, Ints({2, 6}))), "[2,6]");
  EXPECT_EQ(ReshapedTo(x, IntConst(&g_, Ints({-1, 6}))), "[2,6]");
}

TEST_F(ShapeRefinerTest, UnknownBatchSurvivesArithmeticOnShapes) {
  const OutputRef x =
      Placeholder(&g_, "dim { size: -1 } dim { size: 28 } dim { size: 28 }");
  const OutputRef shape = Add(&g_, "Shape", {x});
  const OutputRef batch = Element(shape, 0);
  const OutputRef area =
      Add(&g_, "Mul", {Element(shape, 1), Element(shape, 2)});
  EXPECT_EQ(ReshapedTo(x, Pack({batch, area})), "[?,784]");
}

TEST_F(ShapeRefinerTest, ConcatOfPiecesOfShapes) {
  const OutputRef x =
      Placeholder(&g_, "dim { size: 2 } dim { size: -1 } dim { size: 5 }");
  const OutputRef shape = Add(&g_, "Shape", {x});
  const OutputRef tail =
      Add(&g_, "Slice",
          {shape, IntConst(&g_, Ints({1})), IntConst(&g_, Ints({-1}))});
  const OutputRef joined =
      Add(&g_, "ConcatV2",
          {IntConst(&g_, Ints({1, 2})), tail, IntConst(&g_, Int(0))}, {}, "",
          {2, -1});
  EXPECT_EQ(ReshapedTo(x, joined), "[1,2,?,5]");
}

TEST_F(ShapeRefinerTest, RankSizeRangeAndGather) {
  const OutputRef x = Placeholder(&g_, "dim { size: 2 } dim { size: 3 }");
  Tensor value;
  ASSERT_TRUE(g_.ConstantValue(Add(&g_, "Rank", {x}), &value));
  EXPECT_EQ(*value.base<int32_t>(), 2);
  ASSERT_TRUE(g_.ConstantValue(Add(&g_, "Size", {x}), &value));
  EXPECT_EQ(*value.base<int32_t>(), 6);
  const OutputRef range = Add(
      &g_, "Range",
      {IntConst(&g_, Int(0)), Add(&g_, "Rank", {x}), IntConst(&g_, Int(1))});
  EXPECT_EQ(g_.OutputShape(range).DebugString(), "[2]");
  const OutputRef picked =
      Add(&g_, "Gather", {Add(&g_, "Shape", {x}), IntConst(&g_, Ints({1, 0}))});
  ASSERT_TRUE(g_.ConstantValue(picked, &value));
  EXPECT_EQ(value.base<int32_t>()[0], 3);
  EXPECT_EQ(value.base<int32_t>()[1], 2);
}

TEST_F(ShapeRefinerTest, BackwardSlicesFollowPython) {
  const OutputRef v = IntConst(&g_, Ints({1, 2, 3, 4}));
  const OutputRef reversed =
      Add(&g_, "StridedSlice",
          {v, IntConst(&g_, Ints({0})), IntConst(&g_, Ints({0})),
           IntConst(&g_, Ints({-1}))},
          {{"begin_mask", Attr("i: 1")}, {"end_mask", Attr("i: 1")}});
  Tensor value;
  ASSERT_TRUE(g_.ConstantValue(reversed, &value));
  ASSERT_EQ(value.NumElements(), 4);
  EXPECT_EQ(value.base<int32_t>()[0], 4);
  EXPECT_EQ(value.base<int32_t>()[3], 1);
}

TEST_F(ShapeRefinerTest, OverflowAndDivisionByZeroAreUnknown) {
  const OutputRef big = IntConst(&g_, Int(2000000000));
  Tensor value;
  EXPECT_FALSE(g_.ConstantValue(Add(&g_, "Mul", {big, big}), &value));
  EXPECT_FALSE(g_.ConstantValue(
      Add(&g_, "FloorDiv", {big, IntConst(&g_, Int(0))}), &value));
}

TEST_F(ShapeRefinerTest, DeepAndWideExpressionsStayCheap) {
  OutputRef x = IntConst(&g_, Int(1));
  for (int i = 0; i < 1000; ++i) x = Add(&g_, "Maximum", {x, x});
  Tensor value;
  // The chain is too deep, which is soon found out.
  EXPECT_FALSE(g_.ConstantValue(x, &value));
}

TEST_F(ShapeRefinerTest, ShapeErrorsNameTheNode) {
  const OutputRef x = Placeholder(&g_, "dim { size: 4 }");
  const Status s =
      TryAdd(&g_, "Reshape", {x, IntConst(&g_, Ints({3}))}, {}, "bad").status();
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "bad");
}

}  // namespace
}  // namespace tensorwright
