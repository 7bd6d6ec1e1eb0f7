// SPDX-License-Identifier: Apache-2.0
#include "tools/op_gen/op_model.h"

#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace op_gen {
namespace {

TEST(FamilyOfFileTest, IsTheStemOfTheRegistration) {
  EXPECT_EQ(FamilyOfFile("core/ops/nn_ops.cc"), "nn");
  EXPECT_EQ(FamilyOfFile("core/ops/nn_ops_conv.cc"), "nn");
  EXPECT_EQ(FamilyOfFile("core/ops/candidate_sampling_ops.cc"),
            "candidate_sampling");
  EXPECT_EQ(FamilyOfFile("core/ops/no_op.cc"), "no_op");
  EXPECT_EQ(FamilyOfFile("user_ops/zero_out.cc"), "user");
  EXPECT_EQ(FamilyOfFile("/home/me/user_ops/my_ops.cc"), "user");
  EXPECT_EQ(FamilyOfFile("row_norm.cc"), "row_norm");
  EXPECT_EQ(FamilyOfFile(""), "");
}

OpRegistrationData Registration(OpDefBuilder builder) {
  OpRegistrationData data;
  TF_CHECK_OK(builder.Finalize(&data));
  data.location = builder.location();
  return data;
}

TEST(OpModelTest, AttrsThatInputsDetermineAreNoParameters) {
  const OpRegistrationData data = Registration(OpDefBuilder("M")
                                                   .Input("a: N * T")
                                                   .Input("b: Tlist")
                                                   .Output("o: U")
                                                   .Attr("optional: int = 1")
                                                   .Attr("N: int >= 2")
                                                   .Attr("T: type")
                                                   .Attr("Tlist: list(type)")
                                                   .Attr("required: string")
                                                   .Attr("U: type")
                                                   .Attr("last: bool = true"));
  const OpModel op = MakeOpModel(data, false);
  std::vector<std::string> names;
  for (const auto* attr : op.attrs) names.push_back(attr->name());
  // Attrs without a default come first, each group in the order of the OpDef.
  EXPECT_EQ(names,
            (std::vector<std::string>{"required", "U", "optional", "last"}));
  EXPECT_TRUE(IsList(*op.inputs[0]));
  EXPECT_TRUE(IsList(*op.inputs[1]));
  EXPECT_FALSE(IsList(op.def->output_arg(0)));
}

TEST(MakeFamilyTest, SortsSelectsAndHides) {
  const OpRegistrationData b =
      Registration(OpDefBuilder("B", SourceLocation{"core/ops/x_ops.cc", 3}));
  const OpRegistrationData a =
      Registration(OpDefBuilder("A", SourceLocation{"core/ops/x_ops_y.cc", 4}));
  const OpRegistrationData other =
      Registration(OpDefBuilder("C", SourceLocation{"core/ops/z_ops.cc", 5}));
  const OpRegistrationData internal =
      Registration(OpDefBuilder("_D", SourceLocation{"core/ops/x_ops.cc", 6}));
  const FamilyModel family =
      MakeFamily("x", {"B", "NotThere"}, {&b, &a, &other, &internal});
  ASSERT_EQ(family.ops.size(), 2u);
  EXPECT_EQ(family.ops[0].name(), "A");
  EXPECT_FALSE(family.ops[0].hidden);
  EXPECT_EQ(family.ops[1].name(), "B");
  EXPECT_TRUE(family.ops[1].hidden);
  EXPECT_EQ(MakeFamily("", {}, {&b, &a, &other, &internal}).ops.size(), 3u);
}

TEST(LoadFamilyTest, TheOpsOfTheTreeAreThere) {
  FamilyModel nn;
  TF_CHECK_OK(LoadFamily("nn", {}, &nn));
  bool found = false;
  for (const OpModel& op : nn.ops) {
    if (op.name() != "Conv2DBackpropInput") continue;
    found = true;
    EXPECT_EQ(absl::string_view(op.location.file), "core/ops/nn_ops_conv.cc");
    EXPECT_GT(op.location.line, 0);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace op_gen
}  // namespace tensorwright
