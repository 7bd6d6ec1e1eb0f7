// SPDX-License-Identifier: Apache-2.0
#include "core/framework/node_def_util.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/op_registration.h"
#include "core/framework/tensor.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

OpDef Concat() {
  OpDefBuilder b("Concat");
  OpRegistrationData data;
  Status s = b.Input("dim: int32")
                 .Input("values: N * T")
                 .Output("output: T")
                 .Attr("N: int >= 2")
                 .Attr("T: type")
                 .Attr("fast: bool = true")
                 .Finalize(&data);
  EXPECT_TRUE(s.ok()) << s;
  return data.op_def;
}

NodeDef Node(const std::string& text) {
  NodeDef node;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &node));
  return node;
}

NodeDef GoodNode() {
  return Node(R"(name: "c" op: "Concat" input: "d" input: "a:1" input: "b"
    input: "^first"
    attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } }
    attr { key: "fast" value { b: true } })");
}

TEST(NodeDefUtilTest, TypesOfArguments) {
  DataTypeVector inputs, outputs;
  ASSERT_TRUE(InOutTypesForNode(GoodNode(), Concat(), &inputs, &outputs).ok());
  EXPECT_EQ(inputs, DataTypeVector({DT_INT32, DT_FLOAT, DT_FLOAT}));
  EXPECT_EQ(outputs, DataTypeVector({DT_FLOAT}));
}

TEST(NodeDefUtilTest, PositionsOfArguments) {
  const NodeDef node = GoodNode();
  ArgRanges inputs, outputs;
  ASSERT_TRUE(NameRangesForNode(node, Concat(), &inputs, &outputs).ok());
  ASSERT_NE(FindArgRange(inputs, "values"), nullptr);
  EXPECT_EQ(FindArgRange(inputs, "values")->start, 1);
  EXPECT_EQ(FindArgRange(inputs, "values")->stop, 3);
  EXPECT_EQ(FindArgRange(inputs, "nope"), nullptr);
}

TEST(NodeDefUtilTest, GoodNodesPass) {
  EXPECT_TRUE(ValidateNodeDef(GoodNode(), Concat()).ok())
      << ValidateNodeDef(GoodNode(), Concat());
}

TEST(NodeDefUtilTest, BadNodesAreRefusedWithTheReason) {
  auto expect = [](const NodeDef& node, const std::string& words) {
    Status s = ValidateNodeDef(node, Concat());
    EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
    EXPECT_TRUE(absl::StrContains(s.error_message(), words))
        << s << "\nwanted: " << words;
  };
  NodeDef node = GoodNode();
  node.mutable_attr()->erase("T");
  expect(node, "attr 'T' of type type is missing");
  node = GoodNode();
  SetAttrValue(3, &(*node.mutable_attr())["N"]);
  expect(node, "must have 4 inputs");
  node = GoodNode();
  SetAttrValue(1, &(*node.mutable_attr())["N"]);
  expect(node, "attr 'N' must be >= 2, got 1");
  node = GoodNode();
  SetAttrValue(1, &(*node.mutable_attr())["extra"]);
  expect(node, "the op has no attr 'extra'");
  node = GoodNode();
  SetAttrValue("yes", &(*node.mutable_attr())["fast"]);
  expect(node, "attr 'fast' must have type bool, got string \"yes\"");
  node = GoodNode();
  node.add_input("late");
  expect(node, "data input 'late' follows a control input");
  node = GoodNode();
  node.set_input(0, "a:b:c");
  expect(node, "Input 'a:b:c'");
  node = GoodNode();
  (*node.mutable_attr())["T"].set_type(static_cast<DataType>(99));
  expect(node, "must be a dtype, got number 99");
  node = GoodNode();
  SetAttrValue(int64_t{1} << 40, &(*node.mutable_attr())["N"]);
  expect(node, "must be >= 0 and at most");
}

TEST(NodeDefUtilTest, InternalAttrsPass) {
  NodeDef node = GoodNode();
  SetAttrValue("x", &(*node.mutable_attr())["_class"]);
  EXPECT_TRUE(ValidateNodeDef(node, Concat()).ok());
}

TEST(NodeDefUtilTest, DefaultsFillWhatIsAbsent) {
  NodeDef node = GoodNode();
  node.mutable_attr()->erase("fast");
  AddDefaultsToNodeDef(Concat(), &node);
  EXPECT_TRUE(node.attr().at("fast").b());
  (*node.mutable_attr())["fast"].set_b(false);
  AddDefaultsToNodeDef(Concat(), &node);
  EXPECT_FALSE(node.attr().at("fast").b());
}

TEST(NodeDefUtilTest, AttrsComeOutAsTheyWentIn) {
  NodeDef node;
  auto& attrs = *node.mutable_attr();
  SetAttrValue(std::vector<int>{1, 2}, &attrs["ints"]);
  SetAttrValue(PartialTensorShape({2, -1}), &attrs["shape"]);
  SetAttrValue(Tensor(3.5f), &attrs["tensor"]);
  SetAttrValue({"a", "b"}, &attrs["strings"]);
  std::vector<int32_t> ints;
  ASSERT_TRUE(GetNodeAttr(node, "ints", &ints).ok());
  EXPECT_EQ(ints, (std::vector<int32_t>{1, 2}));
  PartialTensorShape shape;
  ASSERT_TRUE(GetNodeAttr(node, "shape", &shape).ok());
  EXPECT_EQ(shape.DebugString(), "[2,?]");
  TensorShape full;
  EXPECT_FALSE(GetNodeAttr(node, "shape", &full).ok());
  Tensor tensor;
  ASSERT_TRUE(GetNodeAttr(node, "tensor", &tensor).ok());
  EXPECT_EQ(tensor.scalar_value<float>(), 3.5f);
  std::vector<std::string> strings;
  ASSERT_TRUE(GetNodeAttr(node, "strings", &strings).ok());
  EXPECT_EQ(strings.size(), 2u);
}

TEST(NodeDefUtilTest, MissingMistypedAndTooLargeAttrs) {
  NodeDef node = GoodNode();
  int32_t i;
  EXPECT_EQ(GetNodeAttr(node, "nope", &i).code(), error::NOT_FOUND);
  EXPECT_EQ(GetNodeAttr(node, "T", &i).code(), error::INVALID_ARGUMENT);
  SetAttrValue(std::numeric_limits<int64_t>::max(),
               &(*node.mutable_attr())["N"]);
  EXPECT_EQ(GetNodeAttr(node, "N", &i).code(), error::INVALID_ARGUMENT);
  std::vector<bool> b;
  SetAttrValue({1, 2}, &(*node.mutable_attr())["list"]);
  EXPECT_EQ(GetNodeAttr(node, "list", &b).code(), error::INVALID_ARGUMENT);
}

TEST(NodeDefUtilTest, SummaryIsOneLine) {
  EXPECT_EQ(SummarizeNodeDef(GoodNode()),
            "{{node c}} = Concat[N=2, T=DT_FLOAT, fast=true](d, a:1, b, "
            "^first)");
}

TEST(NodeDefUtilTest, NodeNames) {
  for (const char* good : {"a", "A9", "scope/x_1", "_Send", ".x", "a-b>c"}) {
    EXPECT_TRUE(ValidateNodeName(good).ok()) << good;
  }
  for (const char* bad : {"", "-a", "a b", "a:0", "^a", "/a"}) {
    EXPECT_FALSE(ValidateNodeName(bad).ok()) << bad;
  }
}

TEST(AttrValueUtilTest, EqualAsValuesNotAsBytes) {
  Tensor t(DT_INT32, TensorShape({2}));
  t.base<int32_t>()[0] = t.base<int32_t>()[1] = 7;
  AttrValue field, content, other;
  t.AsProtoField(field.mutable_tensor());
  t.AsProtoTensorContent(content.mutable_tensor());
  EXPECT_TRUE(AreAttrValuesEqual(field, content));
  EXPECT_EQ(AttrValueHash(field), AttrValueHash(content));
  t.base<int32_t>()[1] = 8;
  t.AsProtoField(other.mutable_tensor());
  EXPECT_FALSE(AreAttrValuesEqual(field, other));
}

TEST(AttrValueUtilTest, BoolsAndStringsAreNotMistakenForEachOther) {
  AttrValue v;
  SetAttrValue("text", &v);
  EXPECT_EQ(v.s(), "text");
  SetAttrValue(true, &v);
  EXPECT_TRUE(v.b());
  SetAttrValue(std::vector<bool>{true, false}, &v);
  EXPECT_EQ(v.list().b_size(), 2);
}

}  // namespace
}  // namespace tensorwright
