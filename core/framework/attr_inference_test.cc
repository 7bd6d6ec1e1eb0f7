// SPDX-License-Identifier: Apache-2.0
#include "core/framework/attr_inference.h"

#include <vector>

#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/op_registration.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

OpDef Finalize(OpDefBuilder& builder) {
  OpRegistrationData data;
  Status s = builder.Finalize(&data);
  EXPECT_TRUE(s.ok()) << s;
  return data.op_def;
}

OpDef MatMul() {
  OpDefBuilder b("MatMul");
  return Finalize(b.Input("a: T")
                      .Input("b: T")
                      .Output("product: T")
                      .Attr("transpose_a: bool = false")
                      .Attr("T: {float, double}"));
}

OpDef Pack() {
  OpDefBuilder b("Pack");
  return Finalize(b.Input("values: N * T")
                      .Output("output: T")
                      .Attr("N: int >= 1")
                      .Attr("T: type")
                      .Attr("axis: int = 0"));
}

OpDef Tuple() {
  OpDefBuilder b("Tuple");
  return Finalize(
      b.Input("input: T").Output("output: T").Attr("T: list(type)"));
}

OpDef Assign() {
  OpDefBuilder b("Assign");
  return Finalize(b.Input("ref: Ref(T)").Input("value: T").Attr("T: type"));
}

constexpr DataType kFloat = DT_FLOAT;

Status Infer(const OpDef& op, std::vector<DataType> types,
             std::vector<int> sizes, AttrValueMap* attrs) {
  return InferAttrs(op, types, sizes, attrs);
}

void ExpectError(const OpDef& op, std::vector<DataType> types,
                 std::vector<int> sizes, AttrValueMap attrs,
                 const std::string& text) {
  Status s = Infer(op, types, sizes, &attrs);
  EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(s.error_message(), text);
}

TEST(AttrInferenceTest, TypeComesFromInputsOthersFromDefaults) {
  AttrValueMap attrs;
  Status s = Infer(MatMul(), {kFloat, kFloat}, {-1, -1}, &attrs);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(attrs["T"].type(), DT_FLOAT);
  EXPECT_FALSE(attrs["transpose_a"].b());
  EXPECT_EQ(attrs.size(), 2u);
}

TEST(AttrInferenceTest, GivenAttrsStay) {
  AttrValueMap attrs;
  SetAttrValue(true, &attrs["transpose_a"]);
  SetAttrValue(DT_FLOAT, &attrs["T"]);
  ASSERT_TRUE(Infer(MatMul(), {kFloat, kFloat}, {-1, -1}, &attrs).ok());
  EXPECT_TRUE(attrs["transpose_a"].b());
}

TEST(AttrInferenceTest, ListsGiveNumberAndType) {
  AttrValueMap attrs;
  ASSERT_TRUE(Infer(Pack(), {DT_INT32, DT_INT32}, {2}, &attrs).ok());
  EXPECT_EQ(attrs["N"].i(), 2);
  EXPECT_EQ(attrs["T"].type(), DT_INT32);
  AttrValueMap types;
  ASSERT_TRUE(Infer(Tuple(), {DT_INT32, DT_STRING}, {2}, &types).ok());
  ASSERT_EQ(types["T"].list().type_size(), 2);
  EXPECT_EQ(types["T"].list().type(1), DT_STRING);
}

TEST(AttrInferenceTest, ReferencesAreReadAsTheirValues) {
  AttrValueMap attrs;
  ASSERT_TRUE(Infer(MatMul(), {DT_FLOAT_REF, kFloat}, {-1, -1}, &attrs).ok());
  EXPECT_EQ(attrs["T"].type(), DT_FLOAT);
  AttrValueMap assign;
  ASSERT_TRUE(Infer(Assign(), {DT_FLOAT_REF, kFloat}, {-1, -1}, &assign).ok());
  EXPECT_EQ(assign["T"].type(), DT_FLOAT);
}

TEST(AttrInferenceTest, MismatchesNameOpArgumentAndBothValues) {
  ExpectError(MatMul(), {kFloat, DT_DOUBLE}, {-1, -1}, {},
              "MatMul: b must have dtype float, as a has, got double");
  ExpectError(MatMul(), {DT_STRING, DT_STRING}, {-1, -1}, {},
              "MatMul: a has a dtype that is not allowed: attr 'T' must be one "
              "of float, double, got string");
  ExpectError(
      Pack(), {kFloat, DT_INT32}, {2}, {},
      "Pack: values must hold tensors of one dtype, got [float, int32]");
  ExpectError(Pack(), {}, {0}, {},
              "Pack: values has a length that is not allowed: attr 'N' must be "
              ">= 1, got 0");
  ExpectError(
      Pack(), {kFloat}, {-1}, {},
      "Pack: values must be a list of tensors, got a tensor of [float]");
  ExpectError(MatMul(), {kFloat, kFloat}, {-1, 1}, {},
              "MatMul: b must be one tensor, got a list of [float]");
  ExpectError(MatMul(), {kFloat}, {-1}, {},
              "MatMul: takes 2 inputs (a:T, b:T), got 1");
  ExpectError(Assign(), {kFloat, kFloat}, {-1, -1}, {},
              "Assign: ref must be a reference (a Variable), got a value of "
              "float");
  AttrValueMap given;
  SetAttrValue(DT_DOUBLE, &given["T"]);
  ExpectError(MatMul(), {kFloat, kFloat}, {-1, -1}, given,
              "MatMul: a must have dtype double, as attr 'T' says, got float");
  AttrValueMap n;
  SetAttrValue(3, &n["N"]);
  ExpectError(Pack(), {kFloat, kFloat}, {2}, n,
              "Pack: values must have 3 tensors, as attr 'N' says, got 2");
  AttrValueMap unknown;
  SetAttrValue(3, &unknown["nope"]);
  ExpectError(MatMul(), {kFloat, kFloat}, {-1, -1}, unknown,
              "MatMul: unknown attr 'nope' (value 3)");
  AttrValueMap wrong;
  SetAttrValue("x", &wrong["transpose_a"]);
  ExpectError(MatMul(), {kFloat, kFloat}, {-1, -1}, wrong,
              "MatMul: attr 'transpose_a' must have type bool, got string "
              "\"x\"");
}

TEST(AttrInferenceTest, TensorsAndSizesMustAgree) {
  AttrValueMap attrs;
  EXPECT_FALSE(Infer(MatMul(), {kFloat}, {-1, -1}, &attrs).ok());
  attrs.clear();
  EXPECT_FALSE(
      Infer(MatMul(), {kFloat, kFloat, kFloat}, {-1, -1}, &attrs).ok());
  attrs.clear();
  EXPECT_FALSE(Infer(Pack(), {kFloat}, {5}, &attrs).ok());
}

TEST(AttrInferenceTest, EmptyListsKeepTheGivenType) {
  AttrValueMap attrs;
  SetAttrValue(DT_INT32, &attrs["T"]);
  Status s = Infer(Pack(), {}, {0}, &attrs);
  EXPECT_TRUE(absl::StrContains(s.error_message(), "must be >= 1, got 0")) << s;
}

TEST(AttrInferenceTest, InternalAttrsAreNobodysBusiness) {
  AttrValueMap attrs;
  SetAttrValue(std::vector<std::string>{"loc:@a"}, &attrs["_class"]);
  EXPECT_TRUE(Infer(MatMul(), {kFloat, kFloat}, {-1, -1}, &attrs).ok());
}

}  // namespace
}  // namespace tensorwright
