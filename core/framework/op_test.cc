// SPDX-License-Identifier: Apache-2.0
#include "core/framework/op.h"

#include "absl/strings/match.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op_registration.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

REGISTER_OP("OpTestGood")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("For tests.");
REGISTER_OP("OpTestBad").Input("x: Q");
REGISTER_OP("OpTestTwice");
REGISTER_OP("OpTestTwice").Input("x: float");

TEST(OpRegistryTest, FindsWhatWasRegistered) {
  const OpRegistrationData* data;
  ASSERT_TRUE(OpRegistry::Global()->LookUp("OpTestGood", &data).ok());
  EXPECT_EQ(data->op_def.name(), "OpTestGood");
  EXPECT_EQ(data->op_def.summary(), "For tests.");
  EXPECT_EQ(data->shape_fn_name(), "UnchangedShape");
  EXPECT_TRUE(absl::EndsWith(data->location.file, "op_test.cc"));
  EXPECT_EQ(data->location.line, 12);
  const OpRegistrationData* again;
  ASSERT_TRUE(OpRegistry::Global()->LookUp("OpTestGood", &again).ok());
  EXPECT_EQ(data, again);
}

TEST(OpRegistryTest, UnknownOpIsNotFound) {
  const OpRegistrationData* data;
  Status s = OpRegistry::Global()->LookUp("OpTestNone", &data);
  EXPECT_EQ(s.code(), error::NOT_FOUND);
  EXPECT_EQ(data, nullptr);
  EXPECT_TRUE(absl::StrContains(s.error_message(), "OpTestNone"));
}

TEST(OpRegistryTest, BadRegistrationIsAnErrorOfItsLookUp) {
  for (int i = 0; i < 2; ++i) {
    const OpRegistrationData* data;
    Status s = OpRegistry::Global()->LookUp("OpTestBad", &data);
    EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(data, nullptr);
    EXPECT_TRUE(absl::StrContains(s.error_message(), "op_test.cc:18")) << s;
  }
}

TEST(OpRegistryTest, SecondRegistrationIsAnErrorThatNamesBothPlaces) {
  const OpRegistrationData* data;
  Status s = OpRegistry::Global()->LookUp("OpTestTwice", &data);
  EXPECT_EQ(s.code(), error::ALREADY_EXISTS);
  EXPECT_TRUE(absl::StrContains(s.error_message(), "op_test.cc:19")) << s;
  EXPECT_TRUE(absl::StrContains(s.error_message(), "op_test.cc:20")) << s;
}

TEST(OpRegistryTest, ProcessRegistrationsTellsTheFirstMistake) {
  EXPECT_FALSE(OpRegistry::Global()->ProcessRegistrations().ok());
  OpRegistry good;
  good.Register(OpDefBuilder("Fine"));
  EXPECT_TRUE(good.ProcessRegistrations().ok());
}

TEST(OpRegistryTest, ExportIsByNameAndLeavesInternalOpsOut) {
  OpRegistry registry;
  registry.Register(OpDefBuilder("Zed"));
  registry.Register(OpDefBuilder("_Hidden"));
  registry.Register(OpDefBuilder("Alpha"));
  OpList ops;
  registry.Export(/*include_internal=*/false, &ops);
  ASSERT_EQ(ops.op_size(), 2);
  EXPECT_EQ(ops.op(0).name(), "Alpha");
  EXPECT_EQ(ops.op(1).name(), "Zed");
  registry.Export(/*include_internal=*/true, &ops);
  EXPECT_EQ(ops.op_size(), 3);
}

TEST(OpRegistryTest, FactoriesRunAtTheNextLookUp) {
  OpRegistry registry;
  int calls = 0;
  registry.Register([&calls](OpRegistrationData* data) {
    ++calls;
    data->op_def.set_name("Made");
    return OkStatus();
  });
  EXPECT_EQ(calls, 0);
  const OpRegistrationData* data;
  EXPECT_TRUE(registry.LookUp("Made", &data).ok());
  EXPECT_TRUE(registry.LookUp("Made", &data).ok());
  EXPECT_EQ(calls, 1);
}

TEST(OpListOpRegistryTest, FindsByName) {
  OpList ops;
  ops.add_op()->set_name("B");
  ops.add_op()->set_name("A");
  OpListOpRegistry registry(&ops);
  const OpDef* def;
  EXPECT_TRUE(registry.LookUpOpDef("A", &def).ok());
  EXPECT_EQ(def->name(), "A");
  EXPECT_EQ(registry.LookUpOpDef("C", &def).code(), error::NOT_FOUND);
}

}  // namespace
}  // namespace tensorwright
