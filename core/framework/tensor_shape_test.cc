// SPDX-License-Identifier: Apache-2.0
#include "core/framework/tensor_shape.h"

#include <vector>

#include "core/framework/tensor_shape.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr int64_t kBig = int64_t{1} << 40;

TEST(TensorShapeTest, DefaultIsAScalar) {
  TensorShape s;
  EXPECT_EQ(s.dims(), 0);
  EXPECT_EQ(s.num_elements(), 1);
  EXPECT_EQ(s.DebugString(), "[]");
  EXPECT_EQ(TensorShape({}), s);
}

TEST(TensorShapeTest, EditsKeepTheNumberOfElements) {
  TensorShape s({2, 3, 4});
  EXPECT_EQ(s.num_elements(), 24);
  s.AddDim(5);
  s.InsertDim(0, 7);
  EXPECT_EQ(s.DebugString(), "[7,2,3,4,5]");
  s.set_dim(0, 0);
  EXPECT_EQ(s.num_elements(), 0);
  s.RemoveDim(0);
  EXPECT_EQ(s.num_elements(), 120);
  s.RemoveDimRange(1, -1);
  EXPECT_EQ(s.DebugString(), "[2]");
  s.AppendShape(TensorShape({9, 1}));
  EXPECT_EQ(s, TensorShape({2, 9, 1}));
  s.RemoveLastDims(2);
  EXPECT_EQ(s, TensorShape({2}));
  int64_t sum = 0;
  for (TensorShapeDim d : TensorShape({4, 5})) sum += d.size;
  EXPECT_EQ(sum, 9);
}

TEST(TensorShapeTest, OverflowIsAnErrorNotACrash) {
  TensorShape out({5});
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{kBig, kBig},
                                         {-1},
                                         {2, -3},
                                         {INT64_MIN},
                                         {kBig, kBig, 0},
                                         std::vector<int64_t>(255, 1)}) {
    const Status s = TensorShapeUtils::MakeShape(sizes, &out);
    EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
    EXPECT_EQ(out, TensorShape({5}));  // Unchanged.
    const TensorShape bad{absl::Span<const int64_t>(sizes)};
    EXPECT_FALSE(bad.IsValid());
    EXPECT_EQ(bad.num_elements(), 0);
    EXPECT_TRUE(errors::IsInvalidArgument(bad.CheckValid()));
  }
  TensorShape s({kBig});
  EXPECT_TRUE(errors::IsInvalidArgument(s.AddDimWithStatus(kBig)));
  EXPECT_EQ(s, TensorShape({kBig}));
  s.AddDim(kBig);
  EXPECT_FALSE(s.IsValid());
}

TEST(TensorShapeTest, MakeShapeTakesBothIntegerTypes) {
  TensorShape s;
  const int32_t sizes32[] = {2, 3};
  TF_CHECK_OK(TensorShapeUtils::MakeShape(sizes32, 2, &s));
  EXPECT_EQ(s, TensorShape({2, 3}));
  TF_CHECK_OK(TensorShapeUtils::MakeShape(std::vector<int64_t>{4}, &s));
  EXPECT_EQ(s, TensorShape({4}));
}

TEST(TensorShapeTest, ProtoReadsBack) {
  TensorShapeProto proto;
  TensorShape({2, 0, 3}).AsProto(&proto);
  EXPECT_EQ(TensorShape(proto), TensorShape({2, 0, 3}));
  proto.set_unknown_rank(true);
  EXPECT_FALSE(TensorShape::IsValid(proto));
  proto.Clear();
  proto.add_dim()->set_size(-2);
  EXPECT_FALSE(TensorShape::IsValid(proto));
  EXPECT_FALSE(PartialTensorShape::IsValid(proto));
}

TEST(TensorShapeTest, StartsAndEnds) {
  const TensorShape s({2, 3, 4});
  EXPECT_TRUE(TensorShapeUtils::StartsWith(s, TensorShape({2, 3})));
  EXPECT_TRUE(TensorShapeUtils::EndsWith(s, TensorShape({3, 4})));
  EXPECT_FALSE(TensorShapeUtils::StartsWith(TensorShape({2}), s));
  const TensorShape list[] = {TensorShape({1}), s};
  EXPECT_EQ(TensorShapeUtils::ShapeListString(list), "[[1], [2,3,4]]");
}

TEST(PartialTensorShapeTest, UnknownSizesAndRank) {
  PartialTensorShape unknown;
  EXPECT_TRUE(unknown.unknown_rank());
  EXPECT_EQ(unknown.dims(), -1);
  EXPECT_EQ(unknown.DebugString(), "<unknown>");
  PartialTensorShape some({2, -1});
  EXPECT_EQ(some.DebugString(), "[2,?]");
  EXPECT_EQ(some.num_elements(), -1);
  EXPECT_FALSE(some.IsFullyDefined());
  TensorShape full;
  EXPECT_FALSE(some.AsTensorShape(&full));
  some.set_dim(1, 3);
  EXPECT_TRUE(some.AsTensorShape(&full));
  EXPECT_EQ(full, TensorShape({2, 3}));
}

TEST(PartialTensorShapeTest, MergeTakesWhatEitherKnows) {
  PartialTensorShape out;
  TF_CHECK_OK(PartialTensorShape({2, -1}).MergeWith({-1, 3}, &out));
  EXPECT_TRUE(out.IsIdenticalTo(PartialTensorShape({2, 3})));
  TF_CHECK_OK(PartialTensorShape().MergeWith({-1}, &out));
  EXPECT_TRUE(out.IsIdenticalTo(PartialTensorShape({-1})));
  EXPECT_TRUE(
      errors::IsInvalidArgument(PartialTensorShape({2}).MergeWith({3}, &out)));
  EXPECT_TRUE(errors::IsInvalidArgument(
      PartialTensorShape({2}).MergeWith({2, 2}, &out)));
  EXPECT_TRUE(out.IsIdenticalTo(PartialTensorShape({-1})));
}

TEST(PartialTensorShapeTest, CompatibilityAndConcatenation) {
  EXPECT_TRUE(
      PartialTensorShape({-1, 2}).IsCompatibleWith(TensorShape({5, 2})));
  EXPECT_FALSE(PartialTensorShape({-1, 2}).IsCompatibleWith(TensorShape({5})));
  EXPECT_TRUE(PartialTensorShape().IsCompatibleWith(TensorShape({5})));
  EXPECT_EQ(PartialTensorShape({1}).Concatenate({-1, 2}).DebugString(),
            "[1,?,2]");
  EXPECT_TRUE(
      PartialTensorShape({1}).Concatenate(PartialTensorShape()).unknown_rank());
  PartialTensorShape out;
  EXPECT_TRUE(
      errors::IsInvalidArgument(PartialTensorShape({kBig, kBig / 2 / kBig + 1})
                                    .ConcatenateWithStatus({kBig}, &out)));
}

TEST(PartialTensorShapeTest, ProtoReadsBack) {
  for (const PartialTensorShape& s :
       {PartialTensorShape(), PartialTensorShape({-1, 0, 3}),
        PartialTensorShape(TensorShape())}) {
    TensorShapeProto proto;
    s.AsProto(&proto);
    EXPECT_TRUE(PartialTensorShape(proto).IsIdenticalTo(s));
  }
}

}  // namespace
}  // namespace tensorwright
