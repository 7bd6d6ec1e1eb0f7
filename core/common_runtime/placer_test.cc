// SPDX-License-Identifier: Apache-2.0
// Placement, as seen in the device that a traced run reports.
#include "core/common_runtime/placer.h"

#include <map>

#include "absl/strings/match.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/device_mgr.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/common_runtime/session_threads.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a test.

class PlacerTest : public ::testing::Test {
 protected:
  PlacerTest() : threads_(1, 1) {
    std::vector<std::unique_ptr<Device>> devices;
    TF_CHECK_OK(DeviceFactory::AddDevices(
        Cpus(3), "/job:localhost/replica:0/task:0", &threads_, &devices));
    devices_ = std::make_unique<DeviceMgr>(std::move(devices));
  }

  // Places a copy of the builder's graph; the result is "CPU:1" and so on, by
  // node name.
  Status Place(const PlacerOptions& options = {}) {
    GraphDef def;
    Graph graph(OpRegistry::Global());
    std::map<const Node*, Node*> copies;
    for (const Node* n : b_.graph->graph().op_nodes()) {
      copies[n] = graph.CopyNode(*n);
    }
    for (const Node* n : b_.graph->graph().op_nodes()) {
      for (const Edge* e : n->in_edges()) {
        graph.AddEdge(copies[e->src()], e->src_output(), copies[n],
                      e->dst_input());
      }
    }
    TF_RETURN_IF_ERROR(PlaceGraph(devices_->device_set(), options, &graph));
    for (const Node* n : graph.op_nodes()) {
      placed_[n->name()] = n->assigned_device_name().substr(
          n->assigned_device_name().size() - 5);
    }
    return OkStatus();
  }

  static std::pair<std::string, AttrValue> ColocatedWith(
      const std::string& name) {
    AttrValue a;
    a.mutable_list()->add_s("loc:@" + name);
    return {"_class", a};
  }

  SessionThreads threads_;
  std::unique_ptr<DeviceMgr> devices_;
  Builder b_;
  std::map<std::string, std::string> placed_;
};

TEST_F(PlacerTest, ObeysRequestsInEveryForm) {
  const std::map<std::string, std::string> forms = {
      {"", "CPU:0"},
      {"/cpu:1", "CPU:1"},
      {"/device:CPU:2", "CPU:2"},
      {"/job:localhost/task:0/cpu:1", "CPU:1"},
      {"/job:localhost", "CPU:0"},
      {"/cpu:*", "CPU:0"}};
  std::map<std::string, std::string> names;
  for (const auto& [form, want] : forms) {
    b_.device = form;
    names[b_.NoOp({})->name()] = want;
  }
  ASSERT_EQ(Place(), OkStatus());
  EXPECT_EQ(placed_, names);
}

TEST_F(PlacerTest, ColocationFollowsTheNamedNode) {
  b_.device = "/cpu:2";
  b_.Op("NoOp", {}, {}, "home");
  b_.device = "";
  b_.Op("NoOp", {}, {ColocatedWith("home")}, "guest");
  b_.Op("NoOp", {}, {ColocatedWith("absent")}, "one");
  b_.Op("NoOp", {}, {ColocatedWith("absent")}, "two");
  ASSERT_EQ(Place(), OkStatus());
  EXPECT_EQ(placed_["guest"], "CPU:2");
  EXPECT_EQ(placed_["one"], placed_["two"]);
}

TEST_F(PlacerTest, WritersOfAVariableGoToIt) {
  b_.device = "/cpu:1";
  const OutputRef v =
      b_.Op("VariableV2", {},
            {{"dtype", Attr(DT_FLOAT)}, {"shape", Attr(TensorShape())}});
  b_.device = "";
  b_.Op("Assign", {v, b_.Const(1)}, {}, "init");
  ASSERT_EQ(Place(), OkStatus());
  EXPECT_EQ(placed_["init"], "CPU:1");
}

TEST_F(PlacerTest, ContradictionsAndMissingDevicesAreErrors) {
  b_.device = "/cpu:1";
  b_.Op("NoOp", {}, {}, "home");
  b_.device = "/cpu:2";
  b_.Op("NoOp", {}, {ColocatedWith("home")}, "guest");
  Status s = Place();
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "colocated")) << s;
  PlacerOptions soft;
  soft.allow_soft_placement = true;
  EXPECT_EQ(Place(soft), OkStatus());
  EXPECT_EQ(placed_["guest"], placed_["home"]);
}

TEST_F(PlacerTest, AMissSaysWhatThereIs) {
  b_.device = "/gpu:0";
  b_.Op("NoOp", {}, {}, "lost");
  const Status s = Place();
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "lost");
  EXPECT_TRUE(absl::StrContains(s.message(), "device:CPU:2")) << s;
  PlacerOptions soft;
  soft.allow_soft_placement = true;
  ASSERT_EQ(Place(soft), OkStatus());
  EXPECT_EQ(placed_["lost"], "CPU:0");
}

TEST_F(PlacerTest, MalformedNamesAreErrors) {
  b_.device = "nonsense";
  b_.NoOp({});
  EXPECT_TRUE(errors::IsInvalidArgument(Place()));
}

}  // namespace
}  // namespace tensorwright
