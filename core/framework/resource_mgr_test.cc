// SPDX-License-Identifier: Apache-2.0
#include "core/framework/resource_mgr.h"

#include <string>

#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

int alive = 0;

class Counter : public ResourceBase {
 public:
  explicit Counter(int value) : value(value) { ++alive; }
  std::string DebugString() override { return std::to_string(value); }
  const int value;

 protected:
  ~Counter() override { --alive; }
};

class Other : public ResourceBase {
 public:
  std::string DebugString() override { return "other"; }
};

TEST(ResourceMgrTest, KeysAreContainerTypeAndName) {
  {
    ResourceMgr rm;
    ASSERT_TRUE(rm.Create("c", "x", new Counter(1)).ok());
    ASSERT_TRUE(rm.Create("c", "x", new Other).ok());
    ASSERT_TRUE(rm.Create("d", "x", new Counter(2)).ok());
    Counter* counter = nullptr;
    ASSERT_TRUE(rm.Lookup("d", "x", &counter).ok());
    EXPECT_EQ(counter->value, 2);
    counter->Unref();
    EXPECT_EQ(rm.Lookup("e", "x", &counter).code(), error::NOT_FOUND);
    Status s = rm.Lookup("c", "y", &counter);
    EXPECT_EQ(s.code(), error::NOT_FOUND);
    EXPECT_TRUE(absl::StrContains(s.error_message(), "Counter")) << s;
    EXPECT_EQ(rm.Create("c", "x", new Counter(3)).code(),
              error::ALREADY_EXISTS);
    EXPECT_EQ(alive, 2);
    EXPECT_TRUE(absl::StrContains(rm.DebugString(), " | x | other"));
  }
  EXPECT_EQ(alive, 0);
}

TEST(ResourceMgrTest, LookupOrCreateCreatesOnce) {
  ResourceMgr rm;
  int made = 0;
  for (int i = 0; i < 2; ++i) {
    Counter* counter = nullptr;
    ASSERT_TRUE(
        rm.LookupOrCreate<Counter>("c", "x", &counter, [&](Counter** out) {
            *out = new Counter(++made);
            return OkStatus();
          }).ok());
    EXPECT_EQ(counter->value, 1);
    counter->Unref();
  }
  Counter* counter = nullptr;
  Status s = rm.LookupOrCreate<Counter>(
      "c", "y", &counter, [](Counter**) { return errors::Unavailable("no"); });
  EXPECT_EQ(s.code(), error::UNAVAILABLE);
  EXPECT_EQ(counter, nullptr);
}

TEST(ResourceMgrTest, DeletingLeavesReferencesAlive) {
  ResourceMgr rm;
  ASSERT_TRUE(rm.Create("c", "x", new Counter(1)).ok());
  Counter* counter;
  ASSERT_TRUE(rm.Lookup("c", "x", &counter).ok());
  ASSERT_TRUE(rm.Delete<Counter>("c", "x").ok());
  EXPECT_EQ(rm.Delete<Counter>("c", "x").code(), error::NOT_FOUND);
  EXPECT_EQ(alive, 1);
  counter->Unref();
  EXPECT_EQ(alive, 0);
  ASSERT_TRUE(rm.Create("c", "x", new Counter(1)).ok());
  ASSERT_TRUE(rm.Cleanup("c").ok());
  EXPECT_TRUE(rm.Cleanup("c").ok());
  EXPECT_EQ(alive, 0);
}

TEST(ResourceMgrTest, StepContainersCleanUpWhatWasUsed) {
  std::string cleaned = "nothing";
  const auto cleanup = [&](const std::string& name) { cleaned = name; };
  { ScopedStepContainer unused(1, cleanup); }
  EXPECT_EQ(cleaned, "nothing");
  std::string name;
  {
    ScopedStepContainer used(2, cleanup);
    name = used.name();
  }
  EXPECT_EQ(cleaned, name);
}

TEST(ContainerInfoTest, NamesOfResources) {
  ResourceMgr rm("default");
  NodeDef node;
  node.set_name("node");
  node.set_op("Queue");
  auto& attrs = *node.mutable_attr();
  SetAttrValue("", &attrs["container"]);
  SetAttrValue("", &attrs["shared_name"]);
  ContainerInfo info;
  ASSERT_TRUE(info.Init(&rm, node).ok());
  EXPECT_EQ(info.container(), "default");
  EXPECT_TRUE(info.resource_is_private_to_kernel());
  ASSERT_TRUE(info.Init(&rm, node, /*use_node_name_as_default=*/true).ok());
  EXPECT_EQ(info.name(), "node");
  EXPECT_FALSE(info.resource_is_private_to_kernel());
  SetAttrValue("shared", &attrs["shared_name"]);
  SetAttrValue("box", &attrs["container"]);
  ASSERT_TRUE(info.Init(&rm, node).ok());
  EXPECT_EQ(info.DebugString(), "[box,shared,public]");
  SetAttrValue("_own", &attrs["shared_name"]);
  EXPECT_EQ(info.Init(&rm, node).code(), error::INVALID_ARGUMENT);
  SetAttrValue("a b", &attrs["container"]);
  EXPECT_EQ(info.Init(&rm, node).code(), error::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tensorwright
