// SPDX-License-Identifier: Apache-2.0
// Shape functions of the array ops.

#include <string>
#include <vector>

#include "core/framework/shape_inference_testutil.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

Tensor Ints(const std::vector<int32_t>& values) {
  Tensor t(DT_INT32, TensorShape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.base<int32_t>());
  return t;
}

Tensor Scalar(int32_t value) { return Tensor(value); }

TEST(ArrayOpsShapeTest, ConstHasItsValuesShape) {
  ShapeInferenceTestOp op("Const");
  op.SetAttr("dtype", DT_FLOAT);
  TensorProto value;
  value.set_dtype(DT_FLOAT);
  op.SetAttr("value", value);
  INFER_OK(op, "", "[]");
  value.mutable_tensor_shape()->add_dim()->set_size(3);
  op.SetAttr("value", value);
  INFER_OK(op, "", "[3]");
  value.mutable_tensor_shape()->add_dim()->set_size(-5);
  op.SetAttr("value", value);
  INFER_ERROR("", op, "");
}

TEST(ArrayOpsShapeTest, PlaceholderHasItsAttrsShape) {
  ShapeInferenceTestOp op("Placeholder");
  op.SetAttr("dtype", DT_FLOAT);
  op.SetAttr("shape", PartialTensorShape({2, -1}));
  INFER_OK(op, "", "[2,?]");
  op.SetAttr("shape", PartialTensorShape());
  INFER_OK(op, "", "?");
}

TEST(ArrayOpsShapeTest, PlaceholderWithDefaultMustFitItsDefault) {
  ShapeInferenceTestOp op("PlaceholderWithDefault");
  op.SetAttr("dtype", DT_FLOAT);
  op.SetAttr("shape", PartialTensorShape({-1, 3}));
  INFER_OK(op, "[2,3]", "[?,3]");
  INFER_ERROR("in both shapes must be equal", op, "[2,4]");
}

TEST(ArrayOpsShapeTest, ShapeIsAVectorOfTheRank) {
  ShapeInferenceTestOp op("Shape");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "?", "[?]");
  INFER_OK(op, "[?,?,2]", "[3]");
  ShapeInferenceTestOp shape_n("ShapeN");
  shape_n.SetAttr("T", DT_FLOAT);
  shape_n.SetAttr("N", 3);
  INFER_OK(shape_n, "?;[];[1,2]", "[?];[0];[2]");
}

TEST(ArrayOpsShapeTest, FillTakesItsShapeFromAValue) {
  ShapeInferenceTestOp op("Fill");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "?;?", "?");
  INFER_OK(op, "[3];[]", "[?,?,?]");
  INFER_ERROR("rank 1", op, "[3,1];[]");
  INFER_ERROR("rank 0", op, "[3];[1]");
  const Tensor dims = Ints({2, 0, 5});
  op.input_tensors[0] = &dims;
  INFER_OK(op, "[3];[]", "[2,0,5]");
}

TEST(ArrayOpsShapeTest, ReshapeWorksOutOneDimension) {
  ShapeInferenceTestOp op("Reshape");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "?;?", "?");
  INFER_OK(op, "[2,3];[2]", "[?,?]");
  Tensor shape = Ints({-1, 3});
  op.input_tensors[1] = &shape;
  INFER_OK(op, "[2,6];[2]", "[4,3]");
  INFER_OK(op, "[2,6];[2]", "[4,3]");
  INFER_OK(op, "?;[2]", "[?,3]");
  INFER_ERROR("", op, "[2,5];[2]");
  shape = Ints({3, 4});
  INFER_OK(op, "[2,6];[2]", "[3,4]");
  INFER_OK(op, "[2,?];[2]", "[3,4]");
  INFER_ERROR("Cannot reshape", op, "[2,5];[2]");
  INFER_ERROR("", op, "[5,?];[2]");
  shape = Ints({-1, 0});
  INFER_OK(op, "[0,6];[2]", "[?,0]");
  shape = Ints({5, -1});
  INFER_OK(op, "[?,5];[2]", "[5,d0_0]");
}

TEST(ArrayOpsShapeTest, ExpandDimsPutsAOneIn) {
  ShapeInferenceTestOp op("ExpandDims");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "[2,3];[]", "[?,?,?]");
  INFER_ERROR("single value", op, "[2];[2]");
  for (const auto& [dim, want] :
       std::vector<std::pair<int, std::string>>{{0, "[1,d0_0,d0_1]"},
                                                {1, "[d0_0,1,d0_1]"},
                                                {2, "[d0_0,d0_1,1]"},
                                                {-1, "[d0_0,d0_1,1]"},
                                                {-3, "[1,d0_0,d0_1]"}}) {
    const Tensor value = Scalar(dim);
    op.input_tensors[1] = &value;
    INFER_OK(op, "[2,?];[]", want);
    INFER_OK(op, "?;[]", "?");
  }
  for (int dim : {3, -4}) {
    const Tensor value = Scalar(dim);
    op.input_tensors[1] = &value;
    INFER_ERROR("not in the interval [-3, 2]", op, "[2,?];[]");
  }
}

TEST(ArrayOpsShapeTest, SqueezeDropsOnes) {
  ShapeInferenceTestOp op("Squeeze");
  op.SetAttr("T", DT_FLOAT);
  INFER_OK(op, "?", "?");
  INFER_OK(op, "[1,4,1,5]", "[d0_1,d0_3]");
  INFER_OK(op, "[1,?]", "?");
  op.SetAttr("squeeze_dims", std::vector<int64_t>{-2, 0});
  INFER_OK(op, "[1,4,1,5]", "[d0_1,d0_3]");
  INFER_OK(op, "[?,4,?,5]", "[d0_1,d0_3]");
  INFER_ERROR("Can not squeeze dim[2]", op, "[1,4,2,5]");
  INFER_ERROR("not in [-1, 1)", op, "[1]");
}

TEST(ArrayOpsShapeTest, TransposeMovesDimensions) {
  ShapeInferenceTestOp op("Transpose");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "?;?", "?");
  INFER_OK(op, "?;[3]", "[?,?,?]");
  INFER_OK(op, "[1,2];[2]", "[?,?]");
  INFER_ERROR("", op, "[1,2];[3]");
  INFER_ERROR("rank 1", op, "[1,2];[2,1]");
  const Tensor perm = Ints({2, 0, 1});
  op.input_tensors[1] = &perm;
  INFER_OK(op, "[4,?,6];[3]", "[d0_2,d0_0,d0_1]");
  const Tensor bad = Ints({3, 0, 1});
  op.input_tensors[1] = &bad;
  INFER_ERROR("perm dim 3 is out of range", op, "[4,5,6];[3]");
}

TEST(ArrayOpsShapeTest, ReverseV2ChecksAxes) {
  ShapeInferenceTestOp op("ReverseV2");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "[1,2];[1]", "in0");
  const Tensor twice = Ints({1, -1});
  op.input_tensors[1] = &twice;
  INFER_ERROR("specified more than once", op, "[1,2];[2]");
  const Tensor far = Ints({2});
  op.input_tensors[1] = &far;
  INFER_ERROR("out of valid range", op, "[1,2];[1]");
}

TEST(ArrayOpsShapeTest, ConcatAddsOneDimensionUp) {
  ShapeInferenceTestOp op("ConcatV2");
  op.SetAttr("T", DT_FLOAT).SetAttr("N", 2);
  op.input_tensors.resize(3);
  INFER_OK(op, "[1,2];[1,3];?", "[?,?]");
  const Tensor axis = Scalar(-1);
  op.input_tensors[2] = &axis;
  INFER_OK(op, "[1,2];[?,3];[]", "[d0_0,5]");
  INFER_ERROR("", op, "[1,2];[2,3];[]");
  INFER_ERROR("", op, "[1,2];[1,2,3];[]");
}

TEST(ArrayOpsShapeTest, SplitDividesEvenly) {
  ShapeInferenceTestOp op("Split");
  op.SetAttr("T", DT_FLOAT).SetAttr("num_split", 2);
  op.input_tensors.resize(2);
  INFER_OK(op, "[];[4,6]", "[?,?];[?,?]");
  const Tensor dim = Scalar(-1);
  op.input_tensors[0] = &dim;
  INFER_OK(op, "[];[4,6]", "[d1_0,3];[d1_0,3]");
  INFER_ERROR("", op, "[];[4,5]");
}

TEST(ArrayOpsShapeTest, SplitVTakesItsSizes) {
  ShapeInferenceTestOp op("SplitV");
  op.SetAttr("T", DT_FLOAT).SetAttr("num_split", 3).SetAttr("Tlen", DT_INT32);
  op.input_tensors.resize(3);
  const Tensor dim = Scalar(1);
  op.input_tensors[2] = &dim;
  INFER_OK(op, "[4,6];[3];[]", "[d0_0,?];[d0_0,?];[d0_0,?]");
  Tensor sizes = Ints({1, -1, 3});
  op.input_tensors[1] = &sizes;
  INFER_OK(op, "[4,6];[3];[]", "[d0_0,1];[d0_0,2];[d0_0,3]");
  INFER_ERROR("can't split axis of size 3", op, "[4,3];[3];[]");
  sizes = Ints({1, -1, -1});
  INFER_ERROR("but for one -1", op, "[4,6];[3];[]");
}

TEST(ArrayOpsShapeTest, PackAndUnpackAreInverse) {
  ShapeInferenceTestOp pack("Pack");
  pack.SetAttr("T", DT_FLOAT).SetAttr("N", 3).SetAttr("axis", 1);
  INFER_OK(pack, "[2,4];[2,?];[?,4]", "e");
  INFER_OK(pack, "[2,4];[2,4];[2,4]", "[2,3,4]");
  INFER_ERROR("", pack, "[2,4];[2,5];[2,4]");
  pack.SetAttr("axis", -4);
  INFER_ERROR("axis", pack, "[2,4];[2,4];[2,4]");
  ShapeInferenceTestOp unpack("Unpack");
  unpack.SetAttr("T", DT_FLOAT).SetAttr("num", 3).SetAttr("axis", 1);
  INFER_OK(unpack, "[2,3,4]", "[d0_0,d0_2];[d0_0,d0_2];[d0_0,d0_2]");
  INFER_ERROR("", unpack, "[2,4,4]");
  INFER_ERROR("", unpack, "[]");
}

TEST(ArrayOpsShapeTest, StridedSliceFollowsItsMasks) {
  ShapeInferenceTestOp op("StridedSlice");
  op.SetAttr("T", DT_FLOAT).SetAttr("Index", DT_INT32);
  op.input_tensors.resize(4);
  INFER_OK(op, "[5,6];[1];[1];[1]", "?");
  Tensor begin = Ints({1}), end = Ints({4}), strides = Ints({2});
  op.input_tensors = {nullptr, &begin, &end, &strides};
  INFER_OK(op, "[5,6];[1];[1];[1]", "[2,6]");
  INFER_OK(op, "[?,6];[1];[1];[1]", "[?,6]");
  INFER_OK(op, "?;[1];[1];[1]", "?");
  INFER_ERROR("input has only 0 dims", op, "[];[1];[1];[1]");
  op.SetAttr("shrink_axis_mask", 1);
  INFER_OK(op, "[5,6];[1];[1];[1]", "[6]");
  INFER_ERROR("out of bounds", op, "[1,6];[1];[1];[1]");
  op.SetAttr("shrink_axis_mask", 0).SetAttr("new_axis_mask", 1);
  INFER_OK(op, "[5,6];[1];[1];[1]", "[1,5,6]");
  op.SetAttr("new_axis_mask", 0).SetAttr("end_mask", 1);
  INFER_OK(op, "[5,6];[1];[1];[1]", "[2,6]");
  op.SetAttr("begin_mask", 1);
  strides = Ints({-1});
  INFER_OK(op, "[5,6];[1];[1];[1]", "[5,6]");
  strides = Ints({0});
  INFER_ERROR("must be non-zero", op, "[5,6];[1];[1];[1]");
  op.SetAttr("begin_mask", 0).SetAttr("end_mask", 0);
  strides = Ints({1});
  op.input_tensors[2] = nullptr;  // The end is not known.
  INFER_OK(op, "[5,6];[1];[1];[1]", "[?,6]");
}

TEST(ArrayOpsShapeTest, TileMultiplies) {
  ShapeInferenceTestOp op("Tile");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "?;[2]", "[?,?]");
  INFER_OK(op, "[2,3];[2]", "[?,?]");
  INFER_ERROR("", op, "[2,3];[1]");
  const Tensor multiples = Ints({2, 0});
  op.input_tensors[1] = &multiples;
  INFER_OK(op, "[2,?];[2]", "[4,0]");
}

TEST(ArrayOpsShapeTest, PadAdds) {
  ShapeInferenceTestOp op("Pad");
  op.SetAttr("T", DT_FLOAT);
  op.input_tensors.resize(2);
  INFER_OK(op, "[2,3];?", "[?,?]");
  INFER_OK(op, "?;[2,2]", "[?,?]");
  INFER_ERROR("", op, "[2];[2,2]");
  INFER_ERROR("", op, "[2];[1,3]");
  Tensor paddings(DT_INT32, TensorShape({2, 2}));
  const int32_t values[] = {1, 2, 0, 3};
  std::copy(values, values + 4, paddings.base<int32_t>());
  op.input_tensors[1] = &paddings;
  INFER_OK(op, "[2,?];[2,2]", "[5,?]");
  paddings.base<int32_t>()[1] = -1;
  INFER_ERROR("Paddings must be non-negative", op, "[2,?];[2,2]");
}

TEST(ArrayOpsShapeTest, GatherReplacesADimension) {
  ShapeInferenceTestOp gather("Gather");
  gather.SetAttr("Tparams", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  INFER_OK(gather, "[5,6];[2,3]", "[d1_0,d1_1,d0_1]");
  INFER_ERROR("at least rank 1", gather, "[];[2]");
  ShapeInferenceTestOp op("GatherV2");
  op.SetAttr("Tparams", DT_FLOAT)
      .SetAttr("Tindices", DT_INT32)
      .SetAttr("Taxis", DT_INT32);
  op.input_tensors.resize(3);
  INFER_OK(op, "[5,6];[2,3];[]", "[?,?,?]");
  const Tensor axis = Scalar(-1);
  op.input_tensors[2] = &axis;
  INFER_OK(op, "[5,6];[2,3];[]", "[d0_0,d1_0,d1_1]");
  op.SetAttr("batch_dims", 1);
  INFER_OK(op, "[5,6];[5,3];[]", "[d0_0,d1_1]");
  INFER_ERROR("", op, "[5,6];[4,3];[]");
  INFER_ERROR("", op, "[5];[5,3];[]");
}

TEST(ArrayOpsShapeTest, GatherNdAndScatterNdAgree) {
  ShapeInferenceTestOp gather("GatherNd");
  gather.SetAttr("Tparams", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  INFER_OK(gather, "[4,5,6];[7,2]", "[d1_0,d0_2]");
  INFER_OK(gather, "[4,5,6];[7,?]", "?");
  INFER_ERROR("must be <= params.rank", gather, "[4];[7,2]");
  ShapeInferenceTestOp scatter("ScatterNd");
  scatter.SetAttr("T", DT_FLOAT).SetAttr("Tindices", DT_INT32);
  scatter.input_tensors.resize(3);
  const Tensor shape = Ints({4, 5, 6});
  scatter.input_tensors[2] = &shape;
  INFER_OK(scatter, "[7,2];[7,6];[3]", "[4,5,6]");
  INFER_ERROR("must match", scatter, "[7,2];[8,6];[3]");
  INFER_ERROR("must match", scatter, "[7,2];[7,5];[3]");
}

TEST(ArrayOpsShapeTest, OneHotPutsDepthIn) {
  ShapeInferenceTestOp op("OneHot");
  op.SetAttr("T", DT_FLOAT).SetAttr("axis", 0);
  op.input_tensors.resize(4);
  INFER_OK(op, "[2,3];[];[];[]", "[?,d0_0,d0_1]");
  const Tensor depth = Scalar(7);
  op.input_tensors[1] = &depth;
  INFER_OK(op, "[2,3];[];[];[]", "[7,d0_0,d0_1]");
  op.SetAttr("axis", -1);
  INFER_OK(op, "[2,3];[];[];[]", "[d0_0,d0_1,7]");
  INFER_ERROR("rank 0", op, "[2,3];[1];[];[]");
  op.SetAttr("axis", -2);
  INFER_ERROR("axis must be >= -1", op, "[2,3];[];[];[]");
}

TEST(ArrayOpsShapeTest, WhereKnowsItsColumns) {
  ShapeInferenceTestOp op("Where");
  INFER_OK(op, "[2,3,4]", "[?,3]");
  INFER_OK(op, "?", "[?,?]");
}

TEST(ArrayOpsShapeTest, BroadcastArgsTakesTheLongerRank) {
  ShapeInferenceTestOp op("BroadcastArgs");
  INFER_OK(op, "[3];[5]", "e");
  INFER_ERROR("rank 1", op, "[3,1];[5]");
}

}  // namespace
}  // namespace tensorwright
