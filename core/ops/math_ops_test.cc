// SPDX-License-Identifier: Apache-2.0
// Shape functions of math ops.

#include <vector>

#include "core/framework/shape_inference_testutil.h"
#include "core/framework/tensor.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(MathOpsShapeTest, BinaryOpsBroadcast) {
  ShapeInferenceTestOp op("Mul");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[2,1,3];[4,1]", "[d0_0,d1_0,d0_2]");
  INFER_OK(op, "[];[4,1]", "[d1_0,d1_1]");
  INFER_OK(op, "?;[4]", "?");
  INFER_ERROR("", op, "[2];[3]");
}

TEST(MathOpsShapeTest, EqualityMayAllowIncompatibleShapes) {
  ShapeInferenceTestOp op("Equal");
  op.SetAttr("T", DT_FLOAT);
  INFER_ERROR("", op, "[2];[3]");
  op.SetAttr("incompatible_shape_error", false);
  INFER_OK(op, "[2];[3]", "[]");
  INFER_OK(op, "[2,1];[3]", "[d0_0,d1_0]");
  INFER_OK(op, "[2,?];[3]", "?");
}

TEST(MathOpsShapeTest, GradientsTakeOneShape) {
  ShapeInferenceTestOp op("TanhGrad");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[2,?];[?,3]", "[d0_0,d1_1]");
  INFER_ERROR("", op, "[2,3];[3]");
}

TEST(MathOpsShapeTest, Select) {
  ShapeInferenceTestOp op("Select");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[];[2,3];[2,3]", "in1");
  INFER_OK(op, "[2];[2,3];[?,3]", "[d0_0|d1_0,d1_1]");
  INFER_OK(op, "[2,3];[2,3];[2,3]", "in1");
  INFER_OK(op, "?;[2,3];[2,3]", "in1");
  INFER_ERROR("vector condition", op, "[3];[2,3];[2,3]");
  INFER_ERROR("", op, "[2,3];[2,4];[2,4]");
  INFER_ERROR("", op, "[];[2,3];[2,4]");
}

TEST(MathOpsShapeTest, MatrixProducts) {
  ShapeInferenceTestOp op("MatMul");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[2,3];[3,4]", "[d0_0,d1_1]");
  op.SetAttr("transpose_b", true);
  INFER_OK(op, "[2,3];[4,3]", "[d0_0,d1_0]");
  INFER_ERROR("", op, "[2,3];[3,4]");
  INFER_ERROR("", op, "[2,3,1];[3,4]");
  ShapeInferenceTestOp batch("BatchMatMul");
  batch.SetAttr("T", DT_FLOAT);
  INFER_OK(batch, "[7,2,3];[7,3,4]", "[d0_0|d1_0,d0_1,d1_2]");
  batch.SetAttr("adj_x", true);
  INFER_OK(batch, "[?,3,2];[7,3,4]", "[d1_0,d0_2,d1_2]");
  INFER_ERROR("", batch, "[6,3,2];[7,3,4]");
  INFER_ERROR("", batch, "[3];[3,4]");
}

TEST(MathOpsShapeTest, Reductions) {
  ShapeInferenceTestOp op("Sum");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "[2,3];?", "?");
  Tensor axis(int32{-1});
  op.input_tensors[1] = &axis;
  INFER_OK(op, "[2,3];[]", "[d0_0]");
  op.SetAttr("keep_dims", true);
  INFER_OK(op, "[2,3];[]", "[d0_0,1]");
  axis.scalar_value<int32>() = 2;
  INFER_ERROR("", op, "[2,3];[]");
}

TEST(MathOpsShapeTest, ArgMax) {
  ShapeInferenceTestOp op("ArgMax");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "[2,3,4];[]", "[?,?]");
  Tensor axis(int32{-2});
  op.input_tensors[1] = &axis;
  INFER_OK(op, "[2,3,4];[]", "[d0_0,d0_2]");
  axis.scalar_value<int32>() = 3;
  INFER_ERROR("must be in the range", op, "[2,3,4];[]");
}

TEST(MathOpsShapeTest, Sequences) {
  ShapeInferenceTestOp range("Range");
  const Tensor start(int32{1}), limit(int32{10}), three(int32{3}),
      zero(int32{0});
  INFER_OK(range, "[];[];[]", "[?]");
  range.input_tensors = {&start, &limit, &three};
  INFER_OK(range, "[];[];[]", "[3]");
  range.input_tensors[2] = &zero;
  INFER_ERROR("delta != 0", range, "[];[];[]");
  range.input_tensors = {&limit, &start, &three};
  INFER_ERROR("Requires start <= limit", range, "[];[];[]");
  ShapeInferenceTestOp space("LinSpace");
  space.SetAttr("T", DT_FLOAT);
  space.input_tensors = {nullptr, nullptr, &three};
  INFER_OK(space, "[];[];[]", "[3]");
  space.input_tensors[2] = &zero;
  INFER_ERROR("num > 0", space, "[];[];[]");
}

TEST(MathOpsShapeTest, Segments) {
  ShapeInferenceTestOp sorted("SegmentSum");
  sorted.SetAttr("T", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  INFER_OK(sorted, "[5,3];[5]", "[?,d0_1]");
  INFER_ERROR("same size as dimension 0", sorted, "[5,3];[4]");
  ShapeInferenceTestOp unsorted("UnsortedSegmentSum");
  unsorted.SetAttr("T", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  const Tensor count(int32{7});
  unsorted.input_tensors = {nullptr, nullptr, &count};
  INFER_OK(unsorted, "[5,2,3];[5,2];[]", "[7,d0_2]");
  INFER_ERROR("", unsorted, "[5,2,3];[5,3];[]");
}

TEST(MathOpsShapeTest, SparseSegments) {
  ShapeInferenceTestOp op("SparseSegmentMean");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[5,3];[7];[7]", "[?,d0_1]");
  INFER_OK(op, "?;[7];[7]", "?");
  INFER_ERROR("", op, "[5,3];[7];[6]");
  INFER_ERROR("", op, "[];[7];[7]");
  ShapeInferenceTestOp grad("SparseSegmentMeanGrad");
  grad.SetAttr("T", DT_FLOAT);
  const Tensor rows(int32{9});
  INFER_OK(grad, "[5,3];[7];[7];[]", "[?,d0_1]");
  grad.input_tensors = {nullptr, nullptr, nullptr, &rows};
  INFER_OK(grad, "[5,3];[7];[7];[]", "[9,d0_1]");
  INFER_ERROR("", grad, "[5,3];[7];[7];[1]");
  INFER_ERROR("", grad, "[5,3];[7,1];[7];[]");
}

TEST(MathOpsShapeTest, Betainc) {
  ShapeInferenceTestOp op("Betainc");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[];[];[]", "[]");
  INFER_OK(op, "[];[2,3];[]", "in1");
  INFER_OK(op, "[2,?];[];[?,3]", "[d0_0,d2_1]");
  INFER_OK(op, "?;[];[]", "?");
  INFER_OK(op, "?;[2];[]", "in1");
  INFER_ERROR("", op, "[2];[3];[]");
}

TEST(MathOpsShapeTest, Bincount) {
  ShapeInferenceTestOp op("Bincount");
  op.SetAttr("T", DT_FLOAT);
  const Tensor size(int32{7}), negative(int32{-1});
  INFER_OK(op, "?;[];?", "[?]");
  op.input_tensors = {nullptr, &size, nullptr};
  INFER_OK(op, "[2,3];[];[0]", "[7]");
  INFER_ERROR("", op, "[2,3];[1];[0]");
  op.input_tensors[1] = &negative;
  INFER_ERROR("size must be >= 0", op, "[2,3];[];[0]");
}

TEST(MathOpsShapeTest, Cross) {
  ShapeInferenceTestOp op("Cross");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[2,3];[?,?]", "[d0_0,d0_1]");
  INFER_OK(op, "[2,?];[2,?]", "[d0_0|d1_0,3]");
  INFER_ERROR("", op, "[2,4];[2,4]");
  INFER_ERROR("", op, "[];[3]");
  INFER_ERROR("", op, "[2,3];[3,3]");
}

}  // namespace
}  // namespace tensorwright
