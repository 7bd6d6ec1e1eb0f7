// SPDX-License-Identifier: Apache-2.0
// Broadcasting, and the meaning of strided slices.

#include "core/util/bcast.h"

#include <string>
#include <vector>

#include "core/util/strided_slice_op.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using Vec = BCast::Vec;

TEST(BCastTest, NumPysRules) {
  const BCast b(Vec{2, 1, 3, 4}, Vec{5, 1, 1});
  ASSERT_TRUE(b.IsValid());
  EXPECT_EQ(b.output_shape(), (Vec{2, 5, 3, 4}));
  EXPECT_EQ(b.grad_x_reduce_idx(), (Vec{1}));
  EXPECT_EQ(b.grad_y_reduce_idx(), (Vec{0, 2, 3}));
  EXPECT_FALSE(BCast(Vec{2, 3}, Vec{2}).IsValid());
  EXPECT_EQ(BCast(Vec{0}, Vec{1}).output_shape(), (Vec{0}));
  EXPECT_EQ(BCast(Vec{}, Vec{}).output_shape(), (Vec{}));
}

TEST(BCastTest, NeighboursThatBroadcastAlikeAreFolded) {
  const BCast b(Vec{2, 3, 4, 5}, Vec{4, 5});
  EXPECT_EQ(b.x_reshape(), (Vec{6, 20}));
  EXPECT_EQ(b.y_reshape(), (Vec{1, 20}));
  EXPECT_EQ(b.x_bcast(), (Vec{1, 1}));
  EXPECT_EQ(b.y_bcast(), (Vec{6, 1}));
  EXPECT_EQ(b.result_shape(), (Vec{6, 20}));
  const BCast same(Vec{2, 3}, Vec{2, 3});
  EXPECT_EQ(same.x_reshape(), (Vec{6}));
  EXPECT_FALSE(same.IsBroadcastingRequired());
  const BCast whole(Vec{2, 3}, Vec{3}, /*fewer_dims_optimization=*/false);
  EXPECT_EQ(whole.y_reshape(), (Vec{1, 3}));
  EXPECT_EQ(whole.result_shape(), (Vec{2, 3}));
}

// TensorFlow 2.21's answers.
TEST(BCastTest, GradientsSumWhatTensorFlowSums) {
  const auto check = [](Vec x, Vec y, Vec rx, Vec ry) {
    const BCast b(x, y);
    EXPECT_EQ(b.grad_x_reduce_idx(), rx);
    EXPECT_EQ(b.grad_y_reduce_idx(), ry);
  };
  check({2, 1, 3}, {1, 3}, {1}, {0, 1});
  check({1, 1, 1}, {1}, {0, 1, 2}, {0, 1, 2});
  check({2, 3}, {2, 3}, {}, {});
  check({}, {1}, {0}, {0});
  check({1}, {1}, {}, {});
  check({4, 1, 1, 5}, {1, 6, 1}, {1, 2}, {0, 1, 3});
}

Tensor Ints(const std::vector<int32_t>& values) {
  Tensor t(DT_INT32, TensorShape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.base<int32_t>());
  return t;
}

std::string Slice(const std::vector<int32_t>& begin,
                  const std::vector<int32_t>& end,
                  const std::vector<int32_t>& strides,
                  const PartialTensorShape& shape, StridedSliceMasks masks) {
  const Tensor b = Ints(begin), e = Ints(end), s = Ints(strides);
  StridedSliceSpec spec;
  const Status status = ValidateStridedSliceOp(&b, &e, s, shape, masks, &spec);
  return status.ok() ? spec.final_shape.DebugString() : status.error_message();
}

TEST(StridedSliceTest, ShapesAreNumPys) {
  EXPECT_EQ(Slice({1}, {9}, {2}, {6, 3}, {}), "[3,3]");
  EXPECT_EQ(Slice({-1}, {-9}, {-2}, {6, 3}, {}), "[3,3]");
  EXPECT_EQ(Slice({4}, {2}, {1}, {6, 3}, {}), "[0,3]");
  EXPECT_EQ(Slice({0, 0}, {0, 0}, {1, 1}, {6, 3}, {.begin = 3, .end = 3}),
            "[6,3]");
  // x[..., 0], x[tf.newaxis, ..., 1:2], x[0, tf.newaxis].
  EXPECT_EQ(
      Slice({0, 0}, {0, 1}, {1, 1}, {6, 3}, {.ellipsis = 1, .shrink_axis = 2}),
      "[6]");
  EXPECT_EQ(Slice({0, 0, 1}, {0, 0, 2}, {1, 1, 1}, {6, 5, 3},
                  {.ellipsis = 2, .new_axis = 1}),
            "[1,6,5,1]");
  EXPECT_EQ(
      Slice({0, 0}, {1, 0}, {1, 1}, {6, 3}, {.new_axis = 2, .shrink_axis = 1}),
      "[1,3]");
}

TEST(StridedSliceTest, BadSpecsAreRefused) {
  EXPECT_EQ(Slice({0}, {1}, {0}, {6}, {}), "strides[0] must be non-zero");
  EXPECT_EQ(Slice({6}, {7}, {1}, {6}, {.shrink_axis = 1}),
            "slice index 6 of dimension 0 out of bounds.");
  EXPECT_EQ(Slice({0}, {1}, {-1}, {6}, {.shrink_axis = 1}),
            "only stride 1 allowed on non-range indexing.");
  EXPECT_EQ(Slice({0, 0}, {1, 1}, {1, 1}, {6}, {}),
            "Index out of range using input dim 1; input has only 1 dims");
  EXPECT_EQ(Slice({0, 0}, {1, 1}, {1, 1}, {6, 6}, {.ellipsis = 3}),
            "Multiple ellipses in slice spec not allowed");
}

}  // namespace
}  // namespace tensorwright
