// SPDX-License-Identifier: Apache-2.0
// Shape functions of nn ops.

#include <vector>

#include "core/framework/shape_inference_testutil.h"
#include "core/framework/tensor.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using Ints = std::vector<int>;

ShapeInferenceTestOp ConvOp(const char* name, const std::string& padding,
                            const Ints& strides) {
  ShapeInferenceTestOp op(name);
  op.SetAttr("T", DT_FLOAT).SetAttr("strides", strides);
  op.SetAttr("padding", padding);
  return op;
}

Tensor Vector(const Ints& values) {
  Tensor t(DT_INT32, TensorShape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.base<int32>());
  return t;
}

TEST(NnOpsShapeTest, Conv2D) {
  auto valid = ConvOp("Conv2D", "VALID", {1, 2, 1, 1});
  INFER_OK(valid, "[4,9,7,3];[3,2,3,8]", "[d0_0,4,6,d1_3]");
  INFER_OK(valid, "[4,?,7,3];[3,2,?,8]", "[d0_0,?,6,d1_3]");
  INFER_OK(valid, "?;[3,2,3,8]", "[?,?,?,d1_3]");
  INFER_OK(valid, "[1,4,7,4];[3,2,2,8]", "[d0_0,1,6,d1_3]");  // Two groups.
  INFER_ERROR("caused by subtracting 3 from 2", valid, "[1,2,7,4];[3,2,2,8]");
  INFER_ERROR("must be rank 4", valid, "[4,9,7];[3,2,3,8]");
  INFER_ERROR("not a multiple of input depth", valid, "[4,9,7,3];[3,2,2,8]");
  INFER_ERROR("not a multiple of the number of groups", valid,
              "[4,9,7,4];[3,2,2,3]");
  INFER_ERROR("output size would be negative", valid, "[4,9,1,3];[3,5,3,8]");
  auto same = ConvOp("Conv2D", "SAME", {1, 2, 3, 1});
  INFER_OK(same, "[4,9,7,3];[3,2,3,8]", "[d0_0,5,3,d1_3]");
}

TEST(NnOpsShapeTest, Conv2DAttrs) {
  auto nchw = ConvOp("Conv2D", "SAME", {1, 1, 2, 2});
  nchw.SetAttr("data_format", "NCHW");
  INFER_OK(nchw, "[4,3,9,7];[3,2,3,8]", "[d0_0,d1_3,5,4]");
  auto dilated = ConvOp("Conv2D", "VALID", {1, 1, 1, 1});
  dilated.SetAttr("dilations", Ints{1, 2, 3, 1});
  INFER_OK(dilated, "[4,9,9,3];[3,2,3,8]", "[d0_0,5,6,d1_3]");
  auto padded = ConvOp("Conv2D", "EXPLICIT", {1, 1, 1, 1});
  padded.SetAttr("explicit_paddings", Ints{0, 0, 1, 2, 3, 0, 0, 0});
  INFER_OK(padded, "[4,9,9,3];[3,2,3,8]", "[d0_0,10,11,d1_3]");
  padded.SetAttr("explicit_paddings", Ints{0, 0, 1, 2});
  INFER_ERROR("must have 8", padded, "[4,9,9,3];[3,2,3,8]");
  auto depth = ConvOp("Conv2D", "SAME", {1, 1, 1, 2});
  INFER_ERROR("must be 1 in the batch and depth", depth, "[4,9,9,3];[3,2,3,8]");
  auto zero = ConvOp("Conv2D", "SAME", {1, 0, 1, 1});
  INFER_ERROR("must be > 0", zero, "[4,9,9,3];[3,2,3,8]");
}

TEST(NnOpsShapeTest, Conv2DBackpropInput) {
  auto op = ConvOp("Conv2DBackpropInput", "VALID", {1, 1, 1, 1});
  op.input_tensors.resize(3);
  INFER_OK(op, "[4];[3,2,3,8];[4,7,6,8]", "[?,?,?,?]");
  const Tensor sizes = Vector({4, 9, 7, 3});
  op.input_tensors[0] = &sizes;
  INFER_OK(op, "[4];[3,2,3,8];[4,7,6,8]", "[4,9,7,3]");
  // The kernel refuses an out_backprop of another size.
  INFER_OK(op, "[4];[3,2,3,8];[4,7,7,8]", "[4,9,7,3]");
  INFER_ERROR("must be rank 4", op, "[4];[3,2,3,8];[7,7,8]");
  INFER_ERROR("is not a multiple of input depth of filter", op,
              "[4];[3,2,2,8];[4,7,6,8]");
  const Tensor space = Vector({9, 7});
  op.input_tensors[0] = &space;
  INFER_OK(op, "[2];[3,2,3,8];[4,7,6,8]", "[d2_0,9,7,d1_2]");
}

TEST(NnOpsShapeTest, Conv2DBackpropFilter) {
  auto op = ConvOp("Conv2DBackpropFilter", "VALID", {1, 1, 1, 1});
  const Tensor sizes = Vector({3, 2, 3, 8});
  op.input_tensors = {nullptr, &sizes, nullptr};
  INFER_OK(op, "[4,9,7,3];[4];[4,7,6,8]", "[3,2,3,8]");
  // The kernel refuses an out_backprop of another size.
  INFER_OK(op, "[4,9,7,3];[4];[4,7,6,9]", "[3,2,3,8]");
  INFER_ERROR("must be rank 4", op, "[4,9,7,3];[4];[7,6,8]");
}

ShapeInferenceTestOp PoolOp(const char* name, const Ints& ksize,
                            const Ints& strides) {
  ShapeInferenceTestOp op(name);
  op.SetAttr("T", DT_FLOAT).SetAttr("ksize", ksize);
  op.SetAttr("strides", strides).SetAttr("padding", "VALID");
  return op;
}

TEST(NnOpsShapeTest, Pools) {
  auto max = PoolOp("MaxPool", {1, 2, 3, 1}, {1, 2, 1, 1});
  INFER_OK(max, "[4,9,7,3]", "[d0_0,4,5,3]");
  INFER_OK(max, "[4,?,7,?]", "[d0_0,?,5,?]");
  INFER_ERROR("must be rank 4", max, "[4,9,7]");
  auto depth = PoolOp("MaxPool", {1, 1, 1, 3}, {1, 1, 1, 3});
  INFER_OK(depth, "[4,9,7,6]", "[d0_0,9,7,2]");
  INFER_ERROR("evenly divide", depth, "[4,9,7,5]");
  auto both = PoolOp("MaxPool", {1, 2, 2, 2}, {1, 1, 1, 2});
  INFER_ERROR("exactly one of pooling", both, "[4,9,7,6]");
  auto average = PoolOp("AvgPool", {1, 1, 1, 2}, {1, 1, 1, 2});
  INFER_ERROR("Non-spatial pooling", average, "[4,9,7,6]");
  auto batch = PoolOp("AvgPool", {2, 1, 1, 1}, {1, 1, 1, 1});
  INFER_ERROR("batch dimension", batch, "[4,9,7,6]");
}

TEST(NnOpsShapeTest, PoolGradients) {
  auto max = PoolOp("MaxPoolGrad", {1, 2, 3, 1}, {1, 2, 1, 1});
  INFER_OK(max, "[4,9,7,3];[4,4,5,3];[4,4,5,3]", "in0");
  // The error also tells the expected shape.
  INFER_ERROR(
      "MaxPoolGrad: Expected grad shape to be [4,4,5,3], but got [4,4,4,3]",
      max, "[4,9,7,3];[4,4,5,3];[4,4,4,3]");
  INFER_ERROR(
      "MaxPoolGrad: Expected orig_output shape to be [4,4,5,3], but got "
      "[4,4,5,2]",
      max, "[4,9,7,3];[4,4,5,2];[4,4,5,3]");
  auto average = PoolOp("AvgPoolGrad", {1, 2, 3, 1}, {1, 2, 1, 1});
  const Tensor sizes = Vector({4, 9, 7, 3});
  average.input_tensors = {&sizes, nullptr};
  INFER_OK(average, "[4];[4,4,5,3]", "[4,9,7,3]");
  INFER_ERROR(
      "AvgPoolGrad: Expected grad shape to be [4,4,5,3], but got [4,4,4,3]",
      average, "[4];[4,4,4,3]");
}

TEST(NnOpsShapeTest, Losses) {
  ShapeInferenceTestOp xent("SoftmaxCrossEntropyWithLogits");
  xent.SetAttr("T", DT_FLOAT);
  INFER_OK(xent, "[5,3];[5,3]", "[d0_0];in0");
  INFER_OK(xent, "[5,3];[1,3]", "[d0_0];[d0_0,d0_1|d1_1]");
  INFER_ERROR("rank 2", xent, "[5,3,1];[5,3,1]");
  ShapeInferenceTestOp sparse("SparseSoftmaxCrossEntropyWithLogits");
  sparse.SetAttr("T", DT_FLOAT);
  INFER_OK(sparse, "[5,3];[5]", "[d0_0|d1_0];[d0_0|d1_0,d0_1]");
  INFER_ERROR("must be equal", sparse, "[5,3];[4]");
  ShapeInferenceTestOp in_top_k("InTopK");
  in_top_k.SetAttr("k", 2);
  INFER_OK(in_top_k, "[5,3];[5]", "[d0_0|d1_0]");
  ShapeInferenceTestOp softmax("Softmax");
  softmax.SetAttr("T", DT_FLOAT);
  INFER_OK(softmax, "[2,3,4]", "in0");
  INFER_ERROR("rank", softmax, "[]");
}

TEST(NnOpsShapeTest, TopK) {
  ShapeInferenceTestOp op("TopKV2");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "[5,3];[]", "[d0_0,?];[d0_0,?]");
  const Tensor two(int32{2}), four(int32{4}), minus(int32{-1});
  op.input_tensors[1] = &two;
  INFER_OK(op, "[5,3];[]", "[d0_0,2];[d0_0,2]");
  op.input_tensors[1] = &four;
  INFER_ERROR("last dimension >= k = 4", op, "[5,3];[]");
  op.input_tensors[1] = &minus;
  INFER_ERROR("Need k >= 0", op, "[5,3];[]");
}

}  // namespace
}  // namespace tensorwright
