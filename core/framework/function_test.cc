// SPDX-License-Identifier: Apache-2.0
#include "core/framework/function.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/function.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_registration.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

REGISTER_OP("FunctionTestOp").Input("x: float").Output("y: float");

// f(x) = FunctionTestOp(x)
FunctionDef Function(const std::string& name, const std::string& node = "n") {
  FunctionDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      absl::StrCat(R"(signature { name: ")", name, R"("
          input_arg { name: "x" type: DT_FLOAT }
          output_arg { name: "y" type: DT_FLOAT } }
        node_def { name: ")",
                   node, R"(" op: "FunctionTestOp" input: "x" }
        ret { key: "y" value: ")",
                   node, R"(:y:0" })"),
      &def));
  return def;
}

GradientDef Gradient(const std::string& of, const std::string& by) {
  GradientDef def;
  def.set_function_name(of);
  def.set_gradient_func(by);
  return def;
}

TEST(FunctionLibraryDefinition, FindsFunctionsBesideTheOps) {
  FunctionLibraryDefinition library(OpRegistry::Global());
  EXPECT_TRUE(library.empty());
  ASSERT_EQ(library.AddFunctionDef(Function("F")), OkStatus());
  EXPECT_FALSE(library.empty());
  EXPECT_TRUE(library.Contains("F"));
  EXPECT_EQ(library.Find("F")->node_def(0).name(), "n");
  EXPECT_EQ(library.Find("G"), nullptr);
  const OpRegistrationData* data = nullptr;
  ASSERT_EQ(library.LookUp("F", &data), OkStatus());
  EXPECT_EQ(data->op_def.output_arg(0).name(), "y");
  EXPECT_TRUE(static_cast<bool>(data->shape_inference_fn));
  ASSERT_EQ(library.LookUp("FunctionTestOp", &data), OkStatus());
  EXPECT_EQ(data, OpRegistry::Global()->LookUp("FunctionTestOp"));
  EXPECT_TRUE(errors::IsNotFound(library.LookUp("G", &data)));
}

TEST(FunctionLibraryDefinition, TheSameFunctionTwiceIsNoConflict) {
  FunctionLibraryDefinition library(OpRegistry::Global());
  ASSERT_EQ(library.AddFunctionDef(Function("F")), OkStatus());
  EXPECT_EQ(library.AddFunctionDef(Function("F")), OkStatus());
  Status s = library.AddFunctionDef(Function("F", "other"));
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "'F'")) << s;
  s = library.AddFunctionDef(Function("FunctionTestOp"));
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "an op has that name")) << s;
  EXPECT_TRUE(
      errors::IsInvalidArgument(library.AddFunctionDef(Function("no name"))));
  EXPECT_EQ(library.ListFunctionNames(), std::vector<std::string>{"F"});
}

TEST(FunctionLibraryDefinition, TakesTheNameThatTensorFlowGivesALambda) {
  FunctionLibraryDefinition library(OpRegistry::Global());
  const std::string name = "__inference_<lambda>_12";
  EXPECT_EQ(library.AddFunctionDef(Function(name)), OkStatus());
  EXPECT_EQ(library.ListFunctionNames(), std::vector<std::string>{name});
}

TEST(FunctionLibraryDefinition, ARemovedFunctionIsKeptForThoseThatHaveIt) {
  FunctionLibraryDefinition library(OpRegistry::Global());
  ASSERT_EQ(library.AddFunctionDef(Function("F")), OkStatus());
  const auto def = library.Find("F");
  const OpRegistrationData* data = nullptr;
  ASSERT_EQ(library.LookUp("F", &data), OkStatus());
  ASSERT_EQ(library.RemoveFunction("F"), OkStatus());
  EXPECT_TRUE(errors::IsNotFound(library.RemoveFunction("F")));
  EXPECT_EQ(def->signature().name(), "F");
  EXPECT_EQ(data->op_def.name(), "F");
  const OpRegistrationData* gone = nullptr;
  EXPECT_TRUE(errors::IsNotFound(library.LookUp("F", &gone)));
  EXPECT_EQ(library.AddFunctionDef(Function("F", "other")), OkStatus());
  EXPECT_EQ(library.Find("F")->node_def(0).name(), "other");
  EXPECT_EQ(def->node_def(0).name(), "n");
}

TEST(FunctionLibraryDefinition, ALibraryIsAddedAsAWhole) {
  FunctionLibraryDefinition library(OpRegistry::Global());
  ASSERT_EQ(library.AddFunctionDef(Function("F")), OkStatus());
  ASSERT_EQ(library.AddGradientDef(Gradient("F", "G")), OkStatus());
  EXPECT_EQ(library.AddGradientDef(Gradient("F", "G")), OkStatus());
  EXPECT_EQ(library.FindGradient("F"), "G");
  FunctionDefLibrary more;
  *more.add_function() = Function("F");
  *more.add_function() = Function("G");
  *more.add_gradient() = Gradient("G", "H");
  *more.add_gradient() = Gradient("F", "H");  // Another one is known.
  const Status s = library.AddLibrary(more);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_EQ(library.ListFunctionNames(), std::vector<std::string>{"F"});
  EXPECT_EQ(library.FindGradient("G"), "");
  more.mutable_gradient()->RemoveLast();
  ASSERT_EQ(library.AddLibrary(more), OkStatus());

  FunctionDefLibrary written;
  library.ToProto(&written);
  FunctionLibraryDefinition copy(OpRegistry::Global());
  ASSERT_EQ(copy.AddLibrary(written), OkStatus());
  EXPECT_EQ(copy.ListFunctionNames(), (std::vector<std::string>{"F", "G"}));
  EXPECT_EQ(copy.FindGradient("G"), "H");
  FunctionLibraryDefinition merged(OpRegistry::Global());
  ASSERT_EQ(merged.AddLibrary(copy), OkStatus());
  FunctionDefLibrary again;
  merged.ToProto(&again);
  EXPECT_EQ(again.DebugString(), written.DebugString());
}

TEST(Canonicalize, TellsInstancesApart) {
  NodeDef a;
  EXPECT_EQ(Canonicalize("F", AttrSlice(a)), "F");
  SetAttrValue(DT_FLOAT, &(*a.mutable_attr())["T"]);
  SetAttrValue(int64_t{2}, &(*a.mutable_attr())["N"]);
  EXPECT_EQ(Canonicalize("F", AttrSlice(a)), "F[N=2, T=DT_FLOAT]");
  NodeDef b = a;
  SetAttrValue(1.0f, &(*a.mutable_attr())["f"]);
  SetAttrValue(1.0000001f, &(*b.mutable_attr())["f"]);
  EXPECT_NE(Canonicalize("F", AttrSlice(a)), Canonicalize("F", AttrSlice(b)));
}

}  // namespace
}  // namespace tensorwright
