// SPDX-License-Identifier: Apache-2.0
// Shape functions of normalisation, of ops with planes, and of rarer pools.

#include <string>
#include <vector>

#include "core/framework/shape_inference_testutil.h"
#include "core/framework/tensor.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using Ints = std::vector<int>;

ShapeInferenceTestOp NormOp(const char* name, bool is_training,
                            const char* format) {
  ShapeInferenceTestOp op(name);
  op.SetAttr("T", DT_FLOAT).SetAttr("is_training", is_training);
  op.SetAttr("data_format", format);
  return op;
}

TEST(NnOpsNormShapeTest, FusedBatchNorm) {
  auto training = NormOp("FusedBatchNorm", true, "NHWC");
  INFER_OK(training, "[2,4,5,3];[3];[3];[0];[0]", "[2,4,5,3];[3];[3];[3];[3]");
  INFER_OK(training, "?;[3];[?];[?];[?]", "[?,?,?,d1_0];[3];[3];[3];[3]");
  INFER_ERROR("must be rank 4", training, "[2,3];[3];[3];[0];[0]");
  INFER_ERROR("must be equal", training, "[2,4,5,3];[2];[3];[0];[0]");
  INFER_ERROR("must be equal", training, "[2,4,5,3];[3];[3];[2];[0]");
  INFER_ERROR("must be rank 1", training, "[2,4,5,3];[3];[3,1];[0];[0]");
  auto inference = NormOp("FusedBatchNorm", false, "NCHW");
  INFER_OK(inference, "[2,3,4,5];[3];[3];[3];[3]", "[2,3,4,5];[3];[3];[3];[3]");
  INFER_ERROR("must be equal", inference, "[2,3,4,5];[3];[3];[0];[0]");
}

TEST(NnOpsNormShapeTest, FusedBatchNormGrad) {
  auto op = NormOp("FusedBatchNormGrad", true, "NHWC");
  INFER_OK(op, "[2,4,5,3];[2,4,5,?];[3];[3];[3]", "[2,4,5,3];[3];[3];[0];[0]");
  INFER_ERROR("in both shapes must be equal", op,
              "[2,4,5,3];[2,4,6,3];[3];[3];[3]");
  INFER_ERROR("must be equal", op, "[2,4,5,3];[2,4,5,3];[3];[4];[3]");
}

TEST(NnOpsNormShapeTest, GlobalBatchNormAndLrn) {
  ShapeInferenceTestOp norm("BatchNormWithGlobalNormalization");
  norm.SetAttr("T", DT_FLOAT).SetAttr("variance_epsilon", 0.1f);
  norm.SetAttr("scale_after_normalization", true);
  INFER_OK(norm, "[2,4,5,?];[3];[3];[?];[?]", "[d0_0,d0_1,d0_2,3]");
  INFER_ERROR("must be equal", norm, "[2,4,5,3];[3];[3];[3];[4]");
  ShapeInferenceTestOp lrn("LRN");
  INFER_OK(lrn, "[2,4,5,3]", "in0");
  INFER_ERROR("must be rank 4", lrn, "[2,4]");
}

TEST(NnOpsNormShapeTest, Conv3D) {
  ShapeInferenceTestOp op("Conv3D");
  op.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{1, 1, 2, 1, 1});
  op.SetAttr("padding", "VALID");
  INFER_OK(op, "[4,5,9,7,3];[2,3,2,3,8]", "[d0_0,4,4,6,d1_4]");
  INFER_OK(op, "[4,?,9,7,3];[2,3,2,?,8]", "[d0_0,?,4,6,d1_4]");
  INFER_ERROR("must be rank 5", op, "[4,9,7,3];[2,3,2,3,8]");
  INFER_ERROR("Conv3D: Depth of input (3) is not a multiple of input depth", op,
              "[4,5,9,7,3];[2,3,2,2,8]");
  ShapeInferenceTestOp few("Conv3D");
  few.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{1, 1, 1, 0, 1});
  few.SetAttr("padding", "SAME");
  INFER_ERROR("Conv3D: strides must be > 0, got [1, 1, 1, 0, 1]", few,
              "[4,5,9,7,3];[2,3,2,3,8]");
  ShapeInferenceTestOp first("Conv3D");
  first.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{1, 1, 1, 1, 1});
  first.SetAttr("padding", "SAME").SetAttr("data_format", "NCDHW");
  INFER_OK(first, "[4,3,5,9,7];[2,3,2,3,8]", "[d0_0,d1_4,5,9,7]");
}

TEST(NnOpsNormShapeTest, Depthwise) {
  ShapeInferenceTestOp op("DepthwiseConv2dNative");
  op.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{1, 2, 2, 1});
  op.SetAttr("padding", "SAME");
  INFER_OK(op, "[4,9,7,3];[3,2,3,5]", "[d0_0,5,4,15]");
  INFER_OK(op, "[4,9,7,?];[3,2,?,5]", "[d0_0,5,4,?]");
  INFER_ERROR("DepthwiseConv2dNative: input and filter must have equal depths",
              op, "[4,9,7,3];[3,2,4,5]");
  ShapeInferenceTestOp short_list("DepthwiseConv2dNative");
  short_list.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{1, 2, 2});
  short_list.SetAttr("padding", "SAME");
  INFER_ERROR("DepthwiseConv2dNative: strides must have 4 values, got 3",
              short_list, "[4,9,7,3];[3,2,3,5]");
}

TEST(NnOpsNormShapeTest, PoolsWithPlanes) {
  ShapeInferenceTestOp op("MaxPool3D");
  op.SetAttr("T", DT_FLOAT).SetAttr("ksize", Ints{1, 2, 2, 3, 1});
  op.SetAttr("strides", Ints{1, 1, 2, 1, 1}).SetAttr("padding", "VALID");
  INFER_OK(op, "[4,5,9,7,3]", "[d0_0,4,4,5,3]");
  INFER_ERROR("must be rank 5", op, "[4,9,7,3]");
  INFER_ERROR("MaxPool3D: Computed output size would be negative", op,
              "[4,1,9,7,3]");
  ShapeInferenceTestOp deep("MaxPool3D");
  deep.SetAttr("T", DT_FLOAT).SetAttr("ksize", Ints{1, 1, 1, 1, 2});
  deep.SetAttr("strides", Ints{1, 1, 1, 1, 1}).SetAttr("padding", "VALID");
  INFER_ERROR("MaxPool3D: Non-spatial pooling is not yet supported", deep,
              "[4,5,9,7,3]");
  ShapeInferenceTestOp second("MaxPoolGradGrad");
  second.SetAttr("T", DT_FLOAT).SetAttr("ksize", Ints{1, 2, 3, 1});
  second.SetAttr("strides", Ints{1, 2, 1, 1}).SetAttr("padding", "VALID");
  INFER_OK(second, "[4,9,7,3];[4,4,5,3];[4,9,7,3]", "[4,4,5,3]");
  INFER_ERROR(
      "MaxPoolGradGrad: Expected grad shape to be [4,9,7,3], but got "
      "[4,4,5,3]",
      second, "[4,9,7,3];[4,4,5,3];[4,4,5,3]");
}

TEST(NnOpsNormShapeTest, Dilation2D) {
  ShapeInferenceTestOp op("Dilation2D");
  op.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{1, 1, 1, 1});
  op.SetAttr("rates", Ints{1, 2, 1, 1}).SetAttr("padding", "VALID");
  INFER_OK(op, "[4,9,7,3];[3,2,3]", "[d0_0,5,6,d0_3|d1_2]");
  INFER_ERROR("must be equal", op, "[4,9,7,3];[3,2,4]");
  ShapeInferenceTestOp batch("Dilation2DBackpropInput");
  batch.SetAttr("T", DT_FLOAT).SetAttr("strides", Ints{2, 1, 1, 1});
  batch.SetAttr("rates", Ints{1, 2, 1, 1}).SetAttr("padding", "VALID");
  INFER_ERROR("Dilation2DBackpropInput: strides must be 1 for batch and depth",
              batch, "[4,9,7,3];[3,2,3];[4,5,6,3]");
}

TEST(NnOpsNormShapeTest, FractionalPool) {
  ShapeInferenceTestOp op("FractionalMaxPool");
  op.SetAttr("T", DT_FLOAT);
  op.SetAttr("pooling_ratio", std::vector<float>{1, 1.5f, 2, 1});
  INFER_OK(op, "[4,10,7,3]", "[4,6,3,3];[7];[4]");
  INFER_OK(op, "[4,?,7,?]", "[4,?,3,?];[?];[4]");
  ShapeInferenceTestOp small("FractionalMaxPool");
  small.SetAttr("T", DT_FLOAT);
  small.SetAttr("pooling_ratio", std::vector<float>{1, 0.5f, 2, 1});
  INFER_ERROR("FractionalMaxPool: pooling_ratio must be >= 1", small,
              "[4,10,7,3]");
}

}  // namespace
}  // namespace tensorwright
