// SPDX-License-Identifier: Apache-2.0
#include "core/framework/shape_inference.h"

#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_contract.h"
#include "core/framework/tensor_shape.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// An op with inputs "a" and the list "rest", and two outputs.
class ShapeInferenceTest : public ::testing::Test {
 protected:
  ShapeInferenceTest() {
    OpDefBuilder b("Test");
    Status s = b.Input("a: int32")
                   .Input("rest: N * int32")
                   .Output("x: int32")
                   .Output("y: int32")
                   .Attr("N: int >= 0")
                   .Finalize(&data_);
    EXPECT_TRUE(s.ok()) << s;
  }

  InferenceContext& Make(std::vector<PartialTensorShape> shapes,
                         std::vector<const Tensor*> tensors = {},
                         std::vector<PartialTensorShape> as_shapes = {}) {
    node_.set_op("Test");
    SetAttrValue(static_cast<int64_t>(shapes.size()) - 1,
                 &(*node_.mutable_attr())["N"]);
    c_ = std::make_unique<InferenceContext>(24, node_, data_.op_def, shapes,
                                            tensors, as_shapes);
    return *c_;
  }

  static void ExpectError(const Status& s, const char* words) {
    EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
    EXPECT_TRUE(absl::StrContains(s.error_message(), words))
        << s << "\nwanted: " << words;
  }

  OpRegistrationData data_;
  NodeDef node_;
  std::unique_ptr<InferenceContext> c_;
};

Tensor Vec(std::vector<int32_t> values) {
  Tensor t(DT_INT32, TensorShape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.base<int32_t>());
  return t;
}

TEST_F(ShapeInferenceTest, LooksAtInputs) {
  auto& c = Make({{2, -1, 3}, PartialTensorShape(), TensorShape()});
  EXPECT_EQ(c.num_inputs(), 3);
  EXPECT_EQ(c.num_outputs(), 2);
  EXPECT_EQ(c.DebugString(c.input(0)), "[2,?,3]");
  EXPECT_EQ(c.DebugString(c.input(1)), "?");
  EXPECT_EQ(c.Rank(c.input(2)), 0);
  EXPECT_EQ(c.Value(c.Dim(c.input(0), -1)), 3);
  EXPECT_FALSE(c.ValueKnown(c.Dim(c.input(0), 1)));
  EXPECT_FALSE(c.ValueKnown(c.Dim(c.input(1), 7)));
  EXPECT_EQ(c.NameOf(c.input(0)), "a");
  EXPECT_EQ(c.NameOf(c.input(2)), "rest[1]");
  std::vector<ShapeHandle> rest;
  ASSERT_TRUE(c.input("rest", &rest).ok());
  EXPECT_EQ(rest.size(), 2u);
  EXPECT_FALSE(c.input("nope", &rest).ok());
}

TEST_F(ShapeInferenceTest, Ranks) {
  auto& c = Make({{2, 3}, PartialTensorShape()});
  ShapeHandle out;
  ASSERT_TRUE(c.WithRank(c.input(0), 2, &out).ok());
  EXPECT_TRUE(out.SameHandle(c.input(0)));
  ASSERT_TRUE(c.WithRank(c.input(1), 2, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[?,?]");
  ExpectError(c.WithRank(c.input(0), 3, &out),
              "Shape must be rank 3 but is rank 2: a has shape [2,3]");
  EXPECT_FALSE(out.IsSet());
  ExpectError(c.WithRankAtLeast(c.input(0), 3, &out),
              "at least rank 3 but is rank 2");
  ExpectError(c.WithRankAtMost(c.input(0), 1, &out),
              "at most rank 1 but is rank 2");
}

TEST_F(ShapeInferenceTest, MergeKeepsHandlesAndNamesBothSides) {
  auto& c = Make({{2, -1}, {-1, 3}, {2, 4}, {2}});
  ShapeHandle out;
  ASSERT_TRUE(c.Merge(c.input(0), c.input(1), &out).ok());
  EXPECT_EQ(c.DebugString(out), "[2,3]");
  EXPECT_TRUE(c.Dim(out, 0).SameHandle(c.Dim(c.input(0), 0)));
  EXPECT_TRUE(c.Dim(out, 1).SameHandle(c.Dim(c.input(1), 1)));
  ExpectError(c.Merge(c.input(1), c.input(2), &out),
              "Dimension 1 in both shapes must be equal, but are 3 and 4. "
              "Shapes are [?,3] and [2,4], of rest[0] and rest[1]");
  ExpectError(c.Merge(c.input(0), c.input(3), &out),
              "must be equal rank, but are 2 and 1");
  ASSERT_TRUE(c.Merge(c.input(0), c.UnknownShape(), &out).ok());
  EXPECT_TRUE(out.SameHandle(c.input(0)));
}

TEST_F(ShapeInferenceTest, RelaxForgetsWhatDiffers) {
  auto& c = Make({{2, 3}, {2, 4}, {5}});
  ShapeHandle out;
  c.Relax(c.input(0), c.input(1), &out);
  EXPECT_EQ(c.DebugString(out), "[2,?]");
  c.Relax(c.input(0), c.input(2), &out);
  EXPECT_EQ(c.DebugString(out), "?");
}

TEST_F(ShapeInferenceTest, PiecesOfShapes) {
  auto& c = Make({{2, 3, 4}, PartialTensorShape()});
  ShapeHandle out;
  ASSERT_TRUE(c.Subshape(c.input(0), 1, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[3,4]");
  ASSERT_TRUE(c.Subshape(c.input(0), 0, -1, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[2,3]");
  ASSERT_TRUE(c.Subshape(c.input(0), 0, &out).ok());
  EXPECT_TRUE(out.SameHandle(c.input(0)));
  ASSERT_TRUE(c.Subshape(c.input(0), 3, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[]");
  ExpectError(c.Subshape(c.input(0), 2, 1, &out),
              "has no dimensions 2 up to 1");
  ExpectError(c.Subshape(c.input(0), -4, &out), "has no dimensions -4");
  ASSERT_TRUE(c.Subshape(c.input(0), 0, 3, 2, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[2,4]");
  ASSERT_TRUE(c.Subshape(c.input(0), -1, 0, -1, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[4,3]");
  ASSERT_TRUE(c.Subshape(c.input(0), 9, -9, -2, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[4,2]");
  ASSERT_TRUE(
      c.Subshape(c.input(0), 1, 3, std::numeric_limits<int64_t>::max(), &out)
          .ok());
  EXPECT_EQ(c.DebugString(out), "[3]");
  ExpectError(c.Subshape(c.input(0), 0, 3, 0, &out), "must not be 0");
  ASSERT_TRUE(c.Concatenate(c.input(0), c.Vector(5), &out).ok());
  EXPECT_EQ(c.DebugString(out), "[2,3,4,5]");
  ASSERT_TRUE(c.Concatenate(c.input(0), c.input(1), &out).ok());
  EXPECT_EQ(c.DebugString(out), "?");
  ASSERT_TRUE(c.ReplaceDim(c.input(0), -1, c.MakeDim(9), &out).ok());
  EXPECT_EQ(c.DebugString(out), "[2,3,9]");
  ExpectError(c.ReplaceDim(c.input(0), 3, c.MakeDim(9), &out),
              "a has no dimension 3");
  ShapeHandle prefix;
  ASSERT_TRUE(
      c.MergePrefix(c.input(0), c.Matrix(2, c.UnknownDim()), &out, &prefix)
          .ok());
  EXPECT_EQ(c.DebugString(prefix), "[2,3]");
  ExpectError(c.MergePrefix(c.input(0), c.Vector(7), &out, &prefix),
              "must start with the shape");
}

TEST_F(ShapeInferenceTest, ShapesFromValues) {
  const Tensor good = Vec({2, -1}), bad = Vec({2, -2});
  const Tensor huge = Vec({1 << 30, 1 << 30, 1 << 30});
  ShapeHandle out;
  auto& c = Make({{2}, {2}, {3}}, {&good, &bad, &huge});
  ASSERT_TRUE(c.MakeShapeFromShapeTensor(0, &out).ok());
  EXPECT_EQ(c.DebugString(out), "[2,?]");
  EXPECT_TRUE(c.requested_input_tensor(0));
  EXPECT_FALSE(c.requested_input_tensor(1));
  ExpectError(c.MakeShapeFromShapeTensor(1, &out),
              "rest[0] must hold sizes >= -1, got -2 at position 1");
  ExpectError(c.MakeShapeFromShapeTensor(2, &out), "more elements than");

  auto& d = Make({{2}, PartialTensorShape(), {3, 3}, {300}}, {},
                 {{-1, 7}, PartialTensorShape()});
  ASSERT_TRUE(d.MakeShapeFromShapeTensor(0, &out).ok());
  EXPECT_EQ(d.DebugString(out), "[?,7]");
  ASSERT_TRUE(d.MakeShapeFromShapeTensor(1, &out).ok());
  EXPECT_EQ(d.DebugString(out), "?");
  ExpectError(d.MakeShapeFromShapeTensor(2, &out), "must be rank 1");
  ExpectError(d.MakeShapeFromShapeTensor(3, &out), "at most 254 elements");
  const Tensor many(DT_INT32, {300});
  auto& e = Make({PartialTensorShape()}, {&many});
  ExpectError(e.MakeShapeFromShapeTensor(0, &out), "at most 254 elements");
  for (int i : {-1, 1, 1 << 20}) {
    ExpectError(e.MakeShapeFromShapeTensor(i, &out), "the op has no input");
    ExpectError(e.MakeShapeFromShapeTensorTreatScalarAsUnknownShape(i, &out),
                "the op has no input");
  }
}

TEST_F(ShapeInferenceTest, DimensionsFromScalars) {
  const Tensor three(int32_t{3}), minus(int32_t{-1}), text("x");
  auto& c = Make({{}, {}, {}, {}}, {&three, &minus, &text, nullptr});
  DimensionHandle dim;
  ASSERT_TRUE(c.MakeDimForScalarInput(0, &dim).ok());
  EXPECT_EQ(c.Value(dim), 3);
  ExpectError(c.MakeDimForScalarInput(1, &dim), "rest[0] must be >= 0, got -1");
  ExpectError(c.MakeDimForScalarInput(2, &dim), "int32 or int64");
  ASSERT_TRUE(c.MakeDimForScalarInput(3, &dim).ok());
  EXPECT_FALSE(c.ValueKnown(dim));
  ASSERT_TRUE(c.MakeDimForScalarInputWithNegativeIndexing(1, 4, &dim).ok());
  EXPECT_EQ(c.Value(dim), 3);
  ExpectError(c.MakeDimForScalarInputWithNegativeIndexing(0, 3, &dim),
              "must be in [-3, 3), got 3");
}

TEST_F(ShapeInferenceTest, ArithmeticIsChecked) {
  auto& c = Make({{}});
  const auto dim = [&](int64_t v) { return c.MakeDim(v); };
  DimensionHandle out;
  ASSERT_TRUE(c.Add(dim(2), 3, &out).ok());
  EXPECT_EQ(c.Value(out), 5);
  ASSERT_TRUE(c.Add(dim(2), c.UnknownDim(), &out).ok());
  EXPECT_FALSE(c.ValueKnown(out));
  ExpectError(c.Add(dim(int64_t{1} << 62), int64_t{1} << 62, &out),
              "must fit an int64");
  ExpectError(c.Multiply(dim(int64_t{1} << 40), int64_t{1} << 40, &out),
              "must fit an int64");
  ASSERT_TRUE(c.Multiply(dim(0), c.UnknownDim(), &out).ok());
  EXPECT_EQ(c.Value(out), 0);
  ExpectError(c.Subtract(dim(2), 3, &out), "must be >= 0, got 2 - 3");
  ASSERT_TRUE(c.Divide(dim(7), 2, /*evenly_divisible=*/false, &out).ok());
  EXPECT_EQ(c.Value(out), 3);
  ExpectError(c.Divide(dim(7), 2, true, &out), "divisible by 2 but is 7");
  ExpectError(c.Divide(dim(7), 0, true, &out), "positive number only, got 0");
  ASSERT_TRUE(c.Min(dim(0), c.UnknownDim(), &out).ok());
  EXPECT_EQ(c.Value(out), 0);
  ASSERT_TRUE(c.Max(dim(4), 9, &out).ok());
  EXPECT_EQ(c.Value(out), 9);
  EXPECT_EQ(c.Value(c.NumElements(c.MakeShape({2, 3}))), 6);
  EXPECT_FALSE(c.ValueKnown(
      c.NumElements(c.MakeShape({int64_t{1} << 40, int64_t{1} << 40}))));
}

TEST_F(ShapeInferenceTest, RunAddsTheOpAndTheShapes) {
  auto& c = Make({{2}, {3}});
  Status s = c.Run([](InferenceContext* c) {
    DimensionHandle d;
    return c->Merge(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), &d);
  });
  EXPECT_EQ(s.error_message(),
            "Test: Dimensions must be equal, but are 2 and 3 (op: 'Test') with "
            "input shapes: [2], [3].");
}

TEST_F(ShapeInferenceTest, OutputsThatAreNotSetAreUnknown) {
  auto& c = Make({{2}});
  ASSERT_TRUE(c.Run([](InferenceContext* c) {
                 c->set_output(0, c->Scalar());
                 return OkStatus();
               }).ok());
  EXPECT_EQ(c.DebugString(c.output(0)), "[]");
  EXPECT_EQ(c.DebugString(c.output(1)), "?");
}

TEST_F(ShapeInferenceTest, MistakesOfTheFunctionAreErrors) {
  auto& c = Make({{2}});
  Status s = c.Run([](InferenceContext* c) {
    c->set_output(5, c->Scalar());
    return OkStatus();
  });
  EXPECT_EQ(s.code(), error::INTERNAL);
  // One input too few for the op.
  SetAttrValue(3, &(*node_.mutable_attr())["N"]);
  std::vector<PartialTensorShape> shapes = {{2}};
  InferenceContext few(24, node_, data_.op_def, shapes, {}, {});
  EXPECT_FALSE(few.construction_status().ok());
  EXPECT_FALSE(few.Run([](InferenceContext*) { return OkStatus(); }).ok());
}

TEST_F(ShapeInferenceTest, ContractSaysWhetherValuesWereUsed) {
  SetAttrValue(0, &(*node_.mutable_attr())["N"]);
  const std::vector<TensorShape> shapes = {TensorShape({2})};
  const Tensor value = Vec({3, 4});
  const Tensor* tensors[] = {&value};
  std::vector<PartialTensorShape> out;
  bool used = true;
  data_.shape_inference_fn = [](InferenceContext* c) {
    c->set_output(0, c->input(0));
    return OkStatus();
  };
  ASSERT_TRUE(RunShapeFn(data_, node_, shapes, tensors, &out, &used).ok());
  EXPECT_FALSE(used);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].DebugString(), "[2]");
  EXPECT_TRUE(out[1].unknown_rank());

  data_.shape_inference_fn = [](InferenceContext* c) {
    ShapeHandle s;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &s));
    c->set_output(0, s);
    return OkStatus();
  };
  ASSERT_TRUE(RunShapeFn(data_, node_, shapes, tensors, &out, &used).ok());
  EXPECT_TRUE(used);
  EXPECT_EQ(out[0].DebugString(), "[3,4]");

  data_.shape_inference_fn = nullptr;
  ASSERT_TRUE(RunShapeFn(data_, node_, shapes, tensors, &out, &used).ok());
  EXPECT_TRUE(out[0].unknown_rank());
}

TEST_F(ShapeInferenceTest, HandlesCarryShapesAndTypes) {
  auto& c = Make({{}});
  EXPECT_EQ(c.input_handle_shapes_and_types(0), nullptr);
  EXPECT_TRUE(
      c.MergeInputHandleShapesAndTypes(0, {{c.UnknownShape(), DT_FLOAT}}));
  EXPECT_TRUE(c.MergeInputHandleShapesAndTypes(0, {{c.Vector(3), DT_INVALID}}));
  EXPECT_FALSE(c.MergeInputHandleShapesAndTypes(0, {{c.Vector(3), DT_INT32}}));
  const auto* known = c.input_handle_shapes_and_types(0);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ((*known)[0].dtype, DT_FLOAT);
  EXPECT_EQ(c.DebugString((*known)[0].shape), "[3]");
}

}  // namespace
}  // namespace shape_inference
}  // namespace tensorwright
