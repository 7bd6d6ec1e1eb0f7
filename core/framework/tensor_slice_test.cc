// SPDX-License-Identifier: Apache-2.0
#include "core/framework/tensor_slice.h"

#include "core/framework/tensor_slice.pb.h"
#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(TensorSliceTest, TextAndProtoRoundTrip) {
  const TensorSlice s = TensorSlice::ParseOrDie("-:0,10:14,1:-");
  EXPECT_EQ(s, TensorSlice({{0, -1}, {0, 10}, {14, 1}, {0, -1}}));
  EXPECT_EQ(s.DebugString(), "-:0,10:14,1:-");
  TensorSliceProto proto;
  s.AsProto(&proto);
  EXPECT_EQ(TensorSlice(proto), s);
  EXPECT_FALSE(s.IsFull());
  EXPECT_TRUE(TensorSlice(3).IsFull());
}

TEST(TensorSliceTest, RejectsWhatIsNoSlice) {
  TensorSlice s;
  for (const char* text :
       {"x", "1", "1,2,3", "-1,2", "1,-2", "1,0", "9223372036854775807,1"}) {
    EXPECT_TRUE(errors::IsInvalidArgument(TensorSlice::Parse(text, &s)))
        << text;
  }
  TensorSliceProto proto;
  proto.add_extent()->set_length(-3);
  EXPECT_TRUE(
      errors::IsInvalidArgument(TensorSlice::BuildTensorSlice(proto, &s)));
}

TEST(TensorSliceTest, Intersects) {
  const TensorSlice a = TensorSlice::ParseOrDie("0,5:-:3,4");
  TensorSlice both;
  EXPECT_TRUE(a.Intersect(TensorSlice::ParseOrDie("2,9:1,2:-"), &both));
  EXPECT_EQ(both.DebugString(), "2,3:1,2:3,4");
  EXPECT_FALSE(a.Overlaps(TensorSlice::ParseOrDie("5,1:-:-")));
  EXPECT_FALSE(a.Overlaps(TensorSlice(2)));
}

TEST(TensorSliceTest, ShapeOfTheSlice) {
  TensorShape shape;
  EXPECT_TRUE(TensorSlice::ParseOrDie("1,2:-")
                  .SliceTensorShape(TensorShape({3, 4}), &shape)
                  .ok());
  EXPECT_EQ(shape, TensorShape({2, 4}));
  EXPECT_FALSE(TensorSlice::ParseOrDie("2,2:-")
                   .SliceTensorShape(TensorShape({3, 4}), &shape)
                   .ok());
  EXPECT_FALSE(
      TensorSlice(1).SliceTensorShape(TensorShape({3, 4}), &shape).ok());
}

TEST(TensorSliceTest, GrowsToCover) {
  TensorSlice s = TensorSlice::ParseOrDie("2,3:1,1");
  s.UpdateToCover(TensorSlice::ParseOrDie("0,1:-"));
  EXPECT_EQ(s.DebugString(), "0,5:-");
  s.Extend(3);
  EXPECT_EQ(s.DebugString(), "0,5:-:-");
}

}  // namespace
}  // namespace tensorwright
