// SPDX-License-Identifier: Apache-2.0
// Shape functions of variables, training, control flow, data flow and random
// ops.

#include <string>
#include <vector>

#include "core/framework/shape_inference_testutil.h"
#include "core/framework/tensor.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(StateOpsShapeTest, VariableV2HasItsAttrsShape) {
  ShapeInferenceTestOp op("VariableV2");
  op.SetAttr("dtype", DT_FLOAT);
  for (const auto& shape :
       {PartialTensorShape({}), PartialTensorShape({3, -1})}) {
    op.SetAttr("shape", shape);
    INFER_OK(op, "", shape.DebugString());
  }
  ShapeInferenceTestOp old("Variable");
  old.SetAttr("dtype", DT_FLOAT).SetAttr("shape", PartialTensorShape({}));
  INFER_OK(old, "", "?");
}

TEST(StateOpsShapeTest, AssignChecksShapesIfAsked) {
  ShapeInferenceTestOp op("Assign");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[1,?];[?,2]", "[d0_0,d1_1]");
  INFER_ERROR("", op, "[1,2];[2]");
  op.SetAttr("validate_shape", false);
  INFER_OK(op, "[1,2];[2]", "in1");
}

TEST(StateOpsShapeTest, ScatterWantsARowAnIndex) {
  ShapeInferenceTestOp op("ScatterAdd");
  op.SetAttr("T", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  INFER_OK(op, "[5,3];[2];[2,3]", "in0");
  INFER_OK(op, "[5,3];[2];[]", "in0");
  INFER_ERROR("", op, "[5,3];[2];[3,3]");
  INFER_ERROR("", op, "[];[2];[2]");
}

TEST(TrainingOpsShapeTest, VariablesAndGradientHaveOneShape) {
  ShapeInferenceTestOp adam("ApplyAdam");
  adam.SetAttr("T", DT_FLOAT);
  INFER_OK(adam, "[1,?];[?,2];?;[];[];[];[];[];[];[1,2]", "e");
  INFER_ERROR("", adam, "[1,2];[1,2];[1,2];[];[];[];[];[];[];[1,3]");
  INFER_ERROR("rank 0", adam, "[1,2];[1,2];[1,2];[1];[];[];[];[];[];[1,2]");
  ShapeInferenceTestOp sgd("ApplyGradientDescent");
  sgd.SetAttr("T", DT_FLOAT);
  INFER_OK(sgd, "[2];[];[2]", "e");
  INFER_ERROR("", sgd, "[2];[];[3]");
  ShapeInferenceTestOp sparse("SparseApplyMomentum");
  sparse.SetAttr("T", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  INFER_OK(sparse, "[5,3];[5,3];[];[2,3];[2];[]", "e");
  INFER_ERROR("", sparse, "[5,3];[5,3];[];[2,3];[4];[]");
  INFER_ERROR("", sparse, "[5,3];[5,3];[];[2,4];[2];[]");
}

TEST(ControlFlowOpsShapeTest, SwitchGivesBothBranchesItsShape) {
  ShapeInferenceTestOp op("Switch");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "[2,?];[]", "in0;in0");
  INFER_ERROR("rank 0", op, "[2,?];[1]");
}

TEST(ControlFlowOpsShapeTest, MergeKeepsWhatItsInputsShare) {
  ShapeInferenceTestOp op("Merge");
  op.SetAttr("T", DT_FLOAT).SetAttr("N", 2);
  INFER_OK(op, "[2,3];[2,4]", "[d0_0,?];[]");
  INFER_OK(op, "[2,3];[2]", "?;[]");
  INFER_OK(op, "[2,3];?", "?;[]");
}

TEST(DataFlowOpsShapeTest, DynamicStitchAndPartition) {
  ShapeInferenceTestOp stitch("DynamicStitch");
  stitch.SetAttr("T", DT_FLOAT).SetAttr("N", 2);
  stitch.input_tensors.resize(4);
  INFER_OK(stitch, "[2];[];[2,5];[5]", "[?,5]");
  INFER_ERROR("", stitch, "[2];[];[3,5];[5]");
  INFER_ERROR("", stitch, "[2];[];[2,5];[6]");
  Tensor two(DT_INT32, TensorShape({2}));
  two.base<int32_t>()[0] = 4;
  two.base<int32_t>()[1] = 1;
  const Tensor one(int32_t{0});
  stitch.input_tensors[0] = &two;
  stitch.input_tensors[1] = &one;
  INFER_OK(stitch, "[2];[];[2,5];[5]", "[5,5]");
  ShapeInferenceTestOp partition("DynamicPartition");
  partition.SetAttr("T", DT_FLOAT).SetAttr("num_partitions", 2);
  INFER_OK(partition, "[3,4,5];[3,4]", "[?,d0_2];[?,d0_2]");
  INFER_ERROR("", partition, "[3,4,5];[4]");
}

TEST(RandomOpsShapeTest, ShapeIsAValue) {
  ShapeInferenceTestOp op("RandomUniform");
  op.SetAttr("dtype", DT_FLOAT).SetAttr("T", DT_INT32);
  op.input_tensors.resize(1);
  INFER_OK(op, "[2]", "[?,?]");
  INFER_ERROR("rank 1", op, "[2,3]");
  Tensor shape(DT_INT32, TensorShape({2}));
  shape.base<int32_t>()[0] = 3;
  shape.base<int32_t>()[1] = 0;
  op.input_tensors[0] = &shape;
  INFER_OK(op, "[2]", "[3,0]");
}

}  // namespace
}  // namespace tensorwright
