// SPDX-License-Identifier: Apache-2.0
// Devices of other processes, of which this process has only the attributes.
#include "core/common_runtime/device_info.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/common_runtime/placer.h"
#include "core/common_runtime/plan.h"
#include "core/common_runtime/run_state.h"
#include "core/common_runtime/runtime_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: its tests.

constexpr char kRemote[] = "/job:worker/replica:0/task:3/device:CPU:0";

DeviceAttributes RemoteAttributes() {
  DeviceAttributes attributes =
      Device::BuildDeviceAttributes(kRemote, DEVICE_CPU, 1 << 20, "elsewhere");
  attributes.mutable_locality()->set_numa_node(1);
  return attributes;
}

TEST(DeviceInfo, HoldsWhatAnotherProcessSaysOfADevice) {
  const auto info = DeviceInfo::FromAttributes(RemoteAttributes());
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->name(), kRemote);
  EXPECT_EQ(info->type(), "CPU");
  EXPECT_EQ(info->parsed_name().task, 3);
  EXPECT_EQ(info->attributes().memory_limit(), 1 << 20);
  EXPECT_EQ(info->attributes().locality().numa_node(), 1);
  EXPECT_NE(info->attributes().incarnation(), 0u);
  for (const char* bad : {"", "CPU:0", "/device:CPU:0", "/job:a/task:0"}) {
    DeviceAttributes attributes = RemoteAttributes();
    attributes.set_name(bad);
    const Status s = DeviceInfo::FromAttributes(attributes).status();
    EXPECT_TRUE(errors::IsInvalidArgument(s)) << bad << ": " << s;
  }
  DeviceAttributes attributes = RemoteAttributes();
  attributes.set_device_type("GPU");
  EXPECT_TRUE(errors::IsInvalidArgument(
      DeviceInfo::FromAttributes(attributes).status()));
}

TEST(DeviceInfo, ARemoteDeviceIsListedAndPlacedOnButNotExecutedOn) {
  const DeviceInfo remote = *DeviceInfo::FromAttributes(RemoteAttributes());
  const auto resources = *SessionResources::New(ConfigProto());
  resources->placeable.Add(&remote);
  EXPECT_EQ(resources->placeable.Find("/job:worker/task:3/cpu:0"), &remote);
  EXPECT_TRUE(absl::StrContains(resources->placeable.DeviceNames(), kRemote));
  Device* local = nullptr;
  EXPECT_FALSE(resources->devices->LookupDevice(kRemote, &local).ok());

  Builder b;
  const OutputRef x = b.Placeholder();
  const OutputRef here = b.Op("TestAdd", {x, x}, {}, "here");
  b.device = "/job:worker/task:3";
  const OutputRef there = b.Op("TestAdd", {here, here}, {}, "there");
  // The node is assigned to it as by a plan.
  Graph graph(OpRegistry::Global());
  Node* const placed = graph.CopyNode(*there.node);
  TF_CHECK_OK(PlaceGraph(resources->placeable, {}, &graph));
  EXPECT_EQ(placed->assigned_device_name(), kRemote);

  ASSERT_TRUE(
      CompilePlan(*b.graph, {{x}, {here}, {}}, resources, PlanOptions()).ok());
  const Status s =
      CompilePlan(*b.graph, {{x}, {there}, {}}, resources, PlanOptions())
          .status();
  EXPECT_TRUE(errors::IsFailedPrecondition(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "there");
  EXPECT_TRUE(absl::StrContains(s.message(), kRemote)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "of another process")) << s;
}

}  // namespace
}  // namespace tensorwright
