// SPDX-License-Identifier: Apache-2.0
// Pools choose the expected algorithms, and the choices have the expected
// words.

#include "core/kernels/nn/pooling_ops_choose.h"

#include "core/framework/attr_value_util.h"
#include "core/framework/kernel_choices.h"
#include "core/framework/node_def.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr PoolKind kMax = PoolKind::kMax;
constexpr PoolKind kAverage = PoolKind::kAverage;
constexpr PoolPass kForward = PoolPass::kForward;
constexpr PoolPass kGrad = PoolPass::kGrad;

// A VALID pool of 16x16 pixels of `depth` channels.
PoolDimensions Pool(int64_t window, int64_t stride, int64_t depth) {
  PoolDimensions d;
  d.batch = 2;
  for (WindowDim* w : {&d.rows, &d.cols}) {
    w->input = 16;
    w->filter = window;
    w->stride = stride;
    w->output = (16 - window) / stride + 1;
  }
  d.depth.input = d.depth.output = depth;
  d.depth.filter = 1;
  return d;
}

TEST(PoolingOpsChooseTest, MaxPoolsOfFloats) {
  const PoolDimensions d = Pool(3, 2, 8);
  EXPECT_EQ(ChoosePool(kMax, kForward, DT_FLOAT, d), PoolAlgorithm::kPlaces);
  EXPECT_EQ(ChoosePool(kMax, kForward, DT_FLOAT, Pool(3, 2, 3)),
            PoolAlgorithm::kOneDnn);
  EXPECT_EQ(ChoosePool(kMax, kForward, DT_FLOAT, Pool(9, 1, 8)),
            PoolAlgorithm::kOneDnn);
  EXPECT_EQ(ChoosePool(kMax, kForward, DT_HALF, d), PoolAlgorithm::kLoops);
  PoolDimensions first = d;
  first.format = FORMAT_NCHW;
  EXPECT_EQ(ChoosePool(kMax, kForward, DT_FLOAT, first),
            PoolAlgorithm::kOneDnn);
  PoolDimensions deep = Pool(1, 1, 8);
  deep.depth.filter = deep.depth.stride = 2;
  EXPECT_EQ(ChoosePool(kMax, kForward, DT_FLOAT, deep), PoolAlgorithm::kLoops);
}

TEST(PoolingOpsChooseTest, GradientsOfMaxPools) {
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_FLOAT, Pool(2, 2, 3)),
            PoolAlgorithm::kApart);
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_FLOAT, Pool(2, 3, 3)),
            PoolAlgorithm::kApart);
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_FLOAT, Pool(3, 2, 3)),
            PoolAlgorithm::kPlaces);
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_FLOAT, Pool(9, 9, 3)),
            PoolAlgorithm::kOneDnn);
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_DOUBLE, Pool(2, 2, 3)),
            PoolAlgorithm::kLoops);
  PoolDimensions planes = Pool(2, 2, 3);
  planes.has_planes = true;
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_BFLOAT16, planes),
            PoolAlgorithm::kEquals);
  PoolDimensions none = Pool(2, 2, 3);
  none.rows.output = 0;
  EXPECT_EQ(ChoosePool(kMax, kGrad, DT_FLOAT, none), PoolAlgorithm::kLoops);
}

TEST(PoolingOpsChooseTest, AveragePools) {
  for (const PoolPass pass : {kForward, kGrad}) {
    EXPECT_EQ(ChoosePool(kAverage, pass, DT_FLOAT, Pool(2, 2, 8)),
              PoolAlgorithm::kOneDnn);
    EXPECT_EQ(ChoosePool(kAverage, pass, DT_DOUBLE, Pool(2, 2, 8)),
              PoolAlgorithm::kLoops);
  }
}

TEST(PoolingOpsChooseTest, ChoicesInWords) {
  const KernelChooser* chooser = FindKernelChooser("MaxPool");
  ASSERT_NE(chooser, nullptr);
  NodeDef node;
  node.set_op("MaxPool");
  auto& attrs = *node.mutable_attr();
  SetAttrValue(DT_FLOAT, &attrs["T"]);
  SetAttrValue({1, 2, 2, 1}, &attrs["ksize"]);
  SetAttrValue({1, 2, 2, 1}, &attrs["strides"]);
  SetAttrValue("VALID", &attrs["padding"]);
  const auto few = chooser->choose(node, {TensorShape({1, 8, 8, 3})},
                                   {TensorShape({1, 4, 4, 3})});
  ASSERT_TRUE(few.ok()) << few.status().ToString();
  EXPECT_EQ(few->algorithm, "oneDNN");
  EXPECT_EQ(few->why,
            "2x2 windows of 3 channels; there are few channels; in a run with "
            "its gradient, _MaxPool runs in its place: vectors of channels");
  const auto many = chooser->choose(node, {TensorShape({1, 8, 8, 16})},
                                    {TensorShape({1, 4, 4, 16})});
  EXPECT_EQ(many->algorithm, "vectors of channels");
  EXPECT_EQ(chooser->algorithms(DT_INT32).size(), 1u);
  EXPECT_EQ(chooser->algorithms(DT_FLOAT).size(), 3u);
}

TEST(PoolingOpsChooseTest, ThePoolsOfTrainingStepsInWords) {
  NodeDef node;
  node.set_op("_MaxPool");
  auto& attrs = *node.mutable_attr();
  SetAttrValue(DT_FLOAT, &attrs["T"]);
  SetAttrValue({1, 2, 2, 1}, &attrs["ksize"]);
  SetAttrValue({1, 2, 2, 1}, &attrs["strides"]);
  SetAttrValue("VALID", &attrs["padding"]);
  const TensorShape images({1, 8, 8, 3});
  const TensorShape pooled({1, 4, 4, 3});
  const KernelChooser* pool = FindKernelChooser("_MaxPool");
  ASSERT_NE(pool, nullptr);
  const auto forward = pool->choose(node, {images}, {pooled, pooled});
  ASSERT_TRUE(forward.ok()) << forward.status().ToString();
  EXPECT_EQ(forward->algorithm, "vectors of channels");
  EXPECT_EQ(forward->why,
            "2x2 windows of 3 channels; it keeps the maxima's places for its "
            "gradient");
  node.set_op("_MaxPoolGrad");
  const KernelChooser* grad = FindKernelChooser("_MaxPoolGrad");
  ASSERT_NE(grad, nullptr);
  const auto backward = grad->choose(node, {images, pooled, pooled}, {images});
  ASSERT_TRUE(backward.ok()) << backward.status().ToString();
  EXPECT_EQ(backward->algorithm, "vectors of channels");
  EXPECT_EQ(backward->why,
            "2x2 windows of 3 channels; the pool has kept their maxima's "
            "places");
  EXPECT_FALSE(grad->choose(node, {}, {}).ok());
}

}  // namespace
}  // namespace tensorwright
