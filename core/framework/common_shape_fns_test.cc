// SPDX-License-Identifier: Apache-2.0
#include "core/framework/common_shape_fns.h"

#include "core/framework/op.h"
#include "core/framework/shape_inference_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;

REGISTER_OP("TestUnchanged")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("TestRank2")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn([](InferenceContext* c) {
      return shape_inference::UnchangedShapeWithRank(c, 2);
    });
REGISTER_OP("TestMerge")
    .Input("x: float")
    .Input("y: float")
    .Output("z: float")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn);
REGISTER_OP("TestExplicit")
    .Output("y: float")
    .Attr("shape: shape")
    .SetShapeFn(shape_inference::ExplicitShape);
REGISTER_OP("TestBroadcast")
    .Input("x: float")
    .Input("y: float")
    .Output("z: float")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
REGISTER_OP("TestMatMul")
    .Input("a: float")
    .Input("b: float")
    .Output("product: float")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .SetShapeFn(shape_inference::MatMulShape);
REGISTER_OP("TestBiasAdd")
    .Input("value: float")
    .Input("bias: float")
    .Output("output: float")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .SetShapeFn(shape_inference::BiasAddShape);
REGISTER_OP("TestBiasAddGrad")
    .Input("out_backprop: float")
    .Output("output: float")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .SetShapeFn(shape_inference::BiasAddGradShape);
REGISTER_OP("TestSum")
    .Input("input: float")
    .Input("axes: int32")
    .Output("output: float")
    .Attr("keep_dims: bool = false")
    .SetShapeFn(shape_inference::ReductionShape);
REGISTER_OP("TestConcatV2")
    .Input("values: N * float")
    .Input("axis: int32")
    .Output("output: float")
    .Attr("N: int >= 2")
    .SetShapeFn(shape_inference::ConcatV2Shape);
REGISTER_OP("TestSlice")
    .Input("input: float")
    .Input("begin: int64")
    .Input("size: int64")
    .Output("output: float")
    .SetShapeFn(shape_inference::SliceShape);

REGISTER_OP("TestConv2D")
    .Input("input: float")
    .Input("filter: float")
    .Output("output: float")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(shape_inference::Conv2DShape);
REGISTER_OP("TestDepthwise")
    .Input("input: float")
    .Input("filter: float")
    .Output("output: float")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .SetShapeFn(shape_inference::DepthwiseConv2DNativeShape);
REGISTER_OP("TestPool")
    .Input("input: float")
    .Output("output: float")
    .Attr("ksize: list(int)")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .SetShapeFn(shape_inference::MaxPoolShape);

template <typename T>
Tensor Vec(std::initializer_list<T> values) {
  Tensor t(DataTypeToEnum<T>::value,
           TensorShape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.base<T>());
  return t;
}

TEST(CommonShapeFnsTest, OutputsLikeInputs) {
  ShapeInferenceTestOp unchanged("TestUnchanged");
  INFER_OK(unchanged, "?", "in0");
  INFER_OK(unchanged, "[1,?]", "in0");
  ShapeInferenceTestOp rank2("TestRank2");
  INFER_OK(rank2, "?", "[?,?]");
  INFER_OK(rank2, "[3,4]", "in0");
  INFER_ERROR("TestRank2: Shape must be rank 2 but is rank 1: x has shape [3]",
              rank2, "[3]");
  ShapeInferenceTestOp merge("TestMerge");
  INFER_OK(merge, "?;[2,?]", "in1");
  INFER_OK(merge, "[2,?];[?,3]", "[d0_0,d1_1]");
  INFER_ERROR(
      "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are "
      "[2] and [3], of x and y",
      merge, "[2];[3]");
}

TEST(CommonShapeFnsTest, ShapeOfAnAttr) {
  ShapeInferenceTestOp op("TestExplicit");
  op.SetAttr("shape", PartialTensorShape({2, -1}));
  INFER_OK(op, "", "[2,?]");
  op.SetAttr("shape", PartialTensorShape());
  INFER_OK(op, "", "?");
}

TEST(CommonShapeFnsTest, Broadcasting) {
  ShapeInferenceTestOp op("TestBroadcast");
  INFER_OK(op, "?;[2]", "?");
  INFER_OK(op, "[];[2,3]", "[d1_0,d1_1]");
  INFER_OK(op, "[2,1,3];[5,1]", "[d0_0,d1_0,d0_2]");
  INFER_OK(op, "[?];[4]", "[d1_0]");
  INFER_OK(op, "[?];[1]", "[d0_0]");
  INFER_OK(op, "[?];[?]", "[?]");
  INFER_OK(op, "[0];[1]", "[d0_0]");
  INFER_ERROR(
      "Incompatible shapes: [2,3] vs. [2], of x and y: Dimensions must be "
      "equal, but are 3 and 2",
      op, "[2,3];[2]");
  INFER_ERROR("[0] vs. [2]", op, "[0];[2]");
}

TEST(CommonShapeFnsTest, MatrixProducts) {
  ShapeInferenceTestOp op("TestMatMul");
  INFER_OK(op, "[2,3];[3,4]", "[d0_0,d1_1]");
  INFER_OK(op, "?;?", "[?,?]");
  INFER_OK(op, "[?,3];[?,4]", "[d0_0,d1_1]");
  INFER_ERROR("TestMatMul: Shape must be rank 2 but is rank 1: a has shape [2]",
              op, "[2];[3,4]");
  INFER_ERROR(
      "TestMatMul: Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]: "
      "Dimensions must be equal, but are 3 and 4",
      op, "[2,3];[4,5]");
  op.SetAttr("transpose_a", true).SetAttr("transpose_b", true);
  INFER_OK(op, "[3,2];[4,3]", "[d0_1,d1_0]");
  INFER_ERROR("must be equal, but are 2 and 5", op, "[2,3];[4,5]");
}

TEST(CommonShapeFnsTest, Biases) {
  ShapeInferenceTestOp op("TestBiasAdd");
  INFER_OK(op, "[2,3,4,5];[5]", "[d0_0,d0_1,d0_2,d0_3|d1_0]");
  INFER_OK(op, "[2,?];[5]", "[d0_0,d1_0]");
  INFER_OK(op, "?;[5]", "?");
  INFER_ERROR("bias must have as many elements as value has channels", op,
              "[2,3];[4]");
  INFER_ERROR("at least rank 2 but is rank 1: value", op, "[3];[3]");
  op.SetAttr("data_format", "NCHW");
  INFER_OK(op, "[2,5,3,4];[5]", "[d0_0,d0_1|d1_0,d0_2,d0_3]");
  INFER_ERROR("but are 5 and 4", op, "[2,5,3,4];[4]");
  ShapeInferenceTestOp grad("TestBiasAddGrad");
  INFER_OK(grad, "[2,3,4,5]", "[d0_3]");
  grad.SetAttr("data_format", "NCHW");
  INFER_OK(grad, "[2,3,4,5]", "[d0_1]");
}

TEST(CommonShapeFnsTest, Reductions) {
  ShapeInferenceTestOp op("TestSum");
  op.input_tensors = {nullptr, nullptr};
  INFER_OK(op, "[2,3];[1]", "?");
  op.SetAttr("keep_dims", true);
  INFER_OK(op, "[2,3];[1]", "[?,?]");
  const Tensor axes = Vec<int32_t>({0, -1});
  op.input_tensors[1] = &axes;
  INFER_OK(op, "[2,3,4];[2]", "[1,d0_1,1]");
  INFER_OK(op, "?;[2]", "?");
  op.SetAttr("keep_dims", false);
  INFER_OK(op, "[2,3,4];[2]", "[d0_1]");
  const Tensor bad = Vec<int32_t>({3});
  op.input_tensors[1] = &bad;
  INFER_ERROR(
      "TestSum: Invalid reduction dimension 3 for input with 3 dimensions", op,
      "[2,3,4];[1]");
  INFER_ERROR("at most rank 1 but is rank 2: axes", op, "[2];[1,1]");
}

TEST(CommonShapeFnsTest, Concatenation) {
  ShapeInferenceTestOp op("TestConcatV2");
  op.SetAttr("N", 2);
  op.input_tensors = {nullptr, nullptr, nullptr};
  INFER_OK(op, "[2,3];[2,4];[]", "[?,?]");
  INFER_OK(op, "?;?;[]", "?");
  INFER_ERROR("must be rank 2 but is rank 1: values[1]", op, "[2,3];[2];[]");
  const Tensor axis(int32_t{-1});
  op.input_tensors[2] = &axis;
  INFER_OK(op, "[2,3];[?,4];[]", "[d0_0,7]");
  INFER_OK(op, "[2,3];[?,?];[]", "[d0_0,?]");
  INFER_OK(op, "[2,3];?;[]", "[d0_0,?]");
  INFER_ERROR("must agree in every dimension but 1", op, "[2,3];[3,3];[]");
  INFER_ERROR("Can't concatenate scalars", op, "[];[];[]");
  const Tensor out_of_range(int32_t{2});
  op.input_tensors[2] = &out_of_range;
  INFER_ERROR("axis must be in [-2, 2), got 2", op, "[2,3];[2,3];[]");
}

TEST(CommonShapeFnsTest, Slices) {
  ShapeInferenceTestOp op("TestSlice");
  op.input_tensors = {nullptr, nullptr, nullptr};
  INFER_OK(op, "[4,5];[2];[2]", "[?,?]");
  INFER_OK(op, "?;[2];[2]", "[?,?]");
  INFER_ERROR("must be rank 3 but is rank 2: input", op, "[4,5];[3];[3]");
  const Tensor begin = Vec<int64_t>({1, 2}), size = Vec<int64_t>({-1, 3});
  op.input_tensors = {nullptr, &begin, &size};
  INFER_OK(op, "[4,5];[2];[2]", "[3,3]");
  INFER_OK(op, "[?,5];[2];[2]", "[?,3]");
  // The kernel refuses boxes that reach out of the input.
  INFER_OK(op, "[4,4];[2];[2]", "[3,3]");
  const Tensor far = Vec<int64_t>({5, 0}), negative = Vec<int64_t>({-1, 0});
  op.input_tensors[1] = &far;
  INFER_ERROR("begin[0] must be in [0, 4], got 5", op, "[4,5];[2];[2]");
  op.input_tensors[1] = &negative;
  INFER_OK(op, "[4,5];[2];[2]", "[?,3]");
  const Tensor far_negative = Vec<int64_t>({-2, 0});
  op.input_tensors[1] = &far_negative;
  INFER_ERROR("begin[0] must be >= 0, got -2", op, "[4,5];[2];[2]");
}

// Other people's ops may lack dilations, explicit_paddings and data_format.
TEST(CommonShapeFnsTest, ConvolutionsAndPoolsWithFewAttrs) {
  ShapeInferenceTestOp conv("TestConv2D");
  conv.SetAttr("strides", {1, 2, 2, 1}).SetAttr("padding", "SAME");
  INFER_OK(conv, "[?,5,?,3];[3,3,3,8]", "[d0_0,3,?,d1_3]");
  INFER_ERROR("must be rank 4 but is rank 3: input", conv, "[5,5,3];[3,3,3,8]");
  INFER_ERROR("(4) is not a multiple", conv, "[1,5,5,4];[3,3,3,8]");
  ShapeInferenceTestOp depthwise("TestDepthwise");
  depthwise.SetAttr("strides", {1, 1, 1, 1}).SetAttr("padding", "VALID");
  INFER_OK(depthwise, "[2,5,5,3];[3,2,3,4]", "[d0_0,3,4,12]");
  INFER_ERROR("must have equal depths", depthwise, "[2,5,5,3];[3,2,4,4]");
  depthwise.SetAttr("data_format", "NCHW");
  INFER_OK(depthwise, "[2,3,5,5];[3,2,3,4]", "[d0_0,12,3,4]");
  ShapeInferenceTestOp pool("TestPool");
  pool.SetAttr("ksize", {1, 2, 2, 1})
      .SetAttr("strides", {1, 2, 2, 1})
      .SetAttr("padding", "VALID");
  INFER_OK(pool, "[?,5,4,3]", "[d0_0,2,2,3]");
}

TEST(CommonShapeFnsTest, Windows) {
  int64_t size, before = 0, after = 0;
  ASSERT_TRUE(
      GetWindowedOutputSizeVerbose(5, 3, 2, SAME, &size, &before, &after).ok());
  EXPECT_EQ(size, 3);
  EXPECT_EQ(before + after, 2);
  ASSERT_TRUE(GetWindowedOutputSize(5, 3, 1, VALID, &size, &before).ok());
  EXPECT_EQ(size, 3);
  EXPECT_EQ(before, 0);
  EXPECT_FALSE(GetWindowedOutputSize(5, 3, 0, VALID, &size, &before).ok());
  // (input - window + stride) / stride, which may be 0 but not negative.
  ASSERT_TRUE(GetWindowedOutputSize(6, 7, 1, VALID, &size, &before).ok());
  EXPECT_EQ(size, 0);
  ASSERT_TRUE(GetWindowedOutputSize(3, 7, 3, VALID, &size, &before).ok());
  EXPECT_EQ(size, 0);
  EXPECT_FALSE(GetWindowedOutputSize(5, 7, 1, VALID, &size, &before).ok());
  EXPECT_FALSE(GetWindowedOutputSize(1, 7, 3, VALID, &size, &before).ok());
}

}  // namespace
}  // namespace tensorwright
