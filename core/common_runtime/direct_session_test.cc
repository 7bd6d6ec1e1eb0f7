// SPDX-License-Identifier: Apache-2.0
// Sessions: feeds, plans, devices, partitions, metadata, Close.
#include "core/common_runtime/direct_session.h"

#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/framework/step_stats.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a test.

constexpr char kCpu1[] = "/cpu:1";

TEST(Session, ChecksFeeds) {
  Builder b;
  const OutputRef x =
      b.Op("Placeholder", {},
           {{"dtype", Attr(DT_FLOAT)}, {"shape", Attr(TensorShape({2}))}}, "x");
  Runner r(b);
  const Status type = r.Run({x}, {}, {{x, Tensor(int32_t{1})}}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(type)) << type;
  EXPECT_TRUE(absl::StrContains(type.message(), "x:0")) << type;
  const Status shape =
      r.Run({x}, {}, {{x, Tensor(DT_FLOAT, TensorShape({3}))}}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(shape)) << shape;
  EXPECT_TRUE(absl::StrContains(shape.message(), "[3]")) << shape;
  const Status twice = r.Run({x}, {},
                             {{x, Tensor(DT_FLOAT, TensorShape({2}))},
                              {x, Tensor(DT_FLOAT, TensorShape({2}))}})
                           .status;
  EXPECT_TRUE(errors::IsInvalidArgument(twice)) << twice;
}

TEST(Session, AMissingFeedIsNamed) {
  Builder b;
  const OutputRef x =
      b.Op("Placeholder", {}, {{"dtype", Attr(DT_FLOAT)}}, "images");
  Runner r(b);
  const Status s = r.Run({b.Add(x, x)}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "images");
}

TEST(Session, AnyTensorCanBeFed) {
  Builder b;
  const OutputRef x = b.Add(b.Const(1), b.Const(2));
  const OutputRef y = b.Add(x, x);
  Runner r(b);
  const Result result = r.Run({y, x}, {}, {{x, Tensor(10.0f)}});
  ASSERT_EQ(result.status, OkStatus());
  EXPECT_EQ(result.Scalar(0), 20);
  EXPECT_EQ(result.Scalar(1), 10);
}

TEST(Session, PlansOutliveGrowthButNotMutation) {
  Builder b;
  const OutputRef x = b.Add(b.Const(1), b.Const(2));
  Runner r(b);
  const NodeSignature signature{{}, {x}, {}};
  const auto plan = *r.session->GetPlan(signature);
  b.Const(3);
  EXPECT_TRUE(r.session->IsCurrent(*plan));
  EXPECT_EQ(*r.session->GetPlan(signature), plan);
  TF_CHECK_OK(b.graph->UpdateInput(x.node, 0, b.Const(40)));
  EXPECT_FALSE(r.session->IsCurrent(*plan));
  EXPECT_EQ(r.Run({x}).Scalar(), 42);
}

TEST(Session, ACycleIsAnError) {
  Builder b;
  const OutputRef x = b.Add(b.Const(1), b.Const(2));
  const OutputRef y = b.Add(x, x);
  TF_CHECK_OK(b.graph->UpdateInput(x.node, 0, y));
  Runner r(b);
  const Status s = r.Run({y}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
}

TEST(Session, SessionsHaveTheirOwnVariables) {
  Builder b;
  const OutputRef v =
      b.Op("VariableV2", {},
           {{"dtype", Attr(DT_FLOAT)}, {"shape", Attr(TensorShape())}});
  const OutputRef init = b.Op("Assign", {v, b.Const(1)});
  Runner first(b);
  Runner second(b);
  ASSERT_EQ(first.Run({}, {init.node}).status, OkStatus());
  EXPECT_EQ(first.Run({v}).Scalar(), 1);
  EXPECT_TRUE(errors::IsFailedPrecondition(second.Run({v}).status));
}

TEST(Session, ReportsWhatRanWhereAndWhen) {
  Builder b;
  const OutputRef fed = b.Placeholder();
  const OutputRef x = b.Op("TestAdd", {fed, b.Const(2)}, {}, "here");
  b.device = kCpu1;
  const OutputRef y = b.Op("TestAdd", {x, x}, {}, "there");
  Runner r(b, Cpus(2));
  RunOptions options;
  options.set_trace_level(RunOptions::FULL_TRACE);
  options.set_output_partition_graphs(true);
  const Result result = r.Run({y}, {}, {{fed, Tensor(1.0f)}}, options);
  ASSERT_EQ(result.status, OkStatus());
  std::set<std::string> seen;
  for (const auto& device : result.metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      EXPECT_GT(node.all_start_micros(), 0);
      seen.insert(device.device() + " " + node.node_name());
    }
  }
  const std::string prefix = "/job:localhost/replica:0/task:0/device:CPU:";
  EXPECT_TRUE(seen.count(prefix + "0 here"));
  EXPECT_TRUE(seen.count(prefix + "1 there"));
  EXPECT_EQ(result.metadata.partition_graphs_size(), 2);
}

TEST(Session, AnUnknownDeviceIsAnErrorUnlessPlacementIsSoft) {
  Builder b;
  b.device = "/gpu:7";
  const OutputRef x = b.Op("TestAdd", {b.Const(1), b.Const(2)}, {}, "lost");
  Runner strict(b);
  const Status s = strict.Run({x}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "device:CPU:0")) << s;
  ConfigProto config;
  config.set_allow_soft_placement(true);
  Runner soft(b, config);
  EXPECT_EQ(soft.Run({x}).Scalar(), 3);
}

TEST(Session, BadThreadAndDeviceCountsAreErrors) {
  Builder b;
  EXPECT_FALSE(DirectSession::New(b.graph, Cpus(0)).ok());
  EXPECT_FALSE(DirectSession::New(b.graph, Cpus(-1)).ok());
  EXPECT_FALSE(DirectSession::New(b.graph, Threads(1 << 20)).ok());
}

TEST(Partition, ValuesAndControlEdgesCrossDevices) {
  for (int threads : {1, 4}) {
    Builder b;
    ConfigProto config = Threads(threads);
    (*config.mutable_device_count())["CPU"] = 3;
    const OutputRef v =
        b.Op("VariableV2", {},
             {{"dtype", Attr(DT_FLOAT)}, {"shape", Attr(TensorShape())}});
    const OutputRef init = b.Op("Assign", {v, b.Const(5)});
    b.device = kCpu1;
    const OutputRef x =
        b.Op("TestIncrement", {b.Const(1)}, {}, "", {init.node});
    b.device = "/cpu:2";
    const OutputRef y = b.Add(x, x);
    b.device = "/cpu:0";
    const OutputRef read = b.Op("Identity", {v}, {}, "", {y.node});
    Runner r(b, config);
    for (int run = 0; run < 5; ++run) {
      const Result result = r.Run({b.Add(y, read)});
      ASSERT_EQ(result.status, OkStatus());
      EXPECT_EQ(result.Scalar(), 9);
    }
  }
}

TEST(Partition, BranchesOnAnotherDeviceMayBeDead) {
  Builder b;
  const OutputRef p = b.Placeholder(DT_BOOL);
  const OutputRef s = b.Op("Switch", {b.Const(1), p});
  const OutputRef no = b.Op("TestIncrement", {{s.node, 0}});
  b.device = kCpu1;
  const OutputRef yes = b.Add({s.node, 1}, {s.node, 1});
  const OutputRef more = b.Add(yes, yes);
  b.device = "";
  const OutputRef merge = b.Op("Merge", {no, more});
  Runner r(b, Cpus(2));
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(true)}}).Scalar(), 4);
    EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(false)}}).Scalar(), 2);
  }
}

TEST(Partition, LoopsSpanDevices) {
  for (int threads : {1, 4}) {
    Builder b;
    ConfigProto config = Threads(threads);
    (*config.mutable_device_count())["CPU"] = 2;
    const OutputRef exit =
        b.While(b.Const(0), b.Const(50), "loop", [&](OutputRef x) {
          b.device = kCpu1;
          const OutputRef y = b.Op("TestIncrement", {x});
          b.device = "";
          return b.Op("Identity", {y});
        });
    Runner r(b, config);
    for (int run = 0; run < 5; ++run) {
      const Result result = r.Run({exit});
      ASSERT_EQ(result.status, OkStatus());
      EXPECT_EQ(result.Scalar(), 50);
    }
  }
}

TEST(Partition, NestedLoopsSpanDevices) {
  Builder b;
  const OutputRef exit =
      b.While(b.Const(0), b.Const(12), "outer", [&](OutputRef x) {
        const OutputRef four =
            b.Op("Enter", {b.Const(4)},
                 {{"frame_name", Attr("outer")}, {"is_constant", Attr(true)}});
        const OutputRef to = b.Add(x, four);
        return b.While(x, to, "inner", [&](OutputRef y) {
          b.device = kCpu1;
          const OutputRef z = b.Op("TestIncrement", {y});
          b.device = "";
          return b.Op("Identity", {z});
        });
      });
  Runner r(b, Cpus(2));
  for (int run = 0; run < 5; ++run) {
    const Result result = r.Run({exit});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(result.Scalar(), 12);
  }
}

TEST(Partition, AnErrorOnOneDeviceEndsTheOthers) {
  Builder b;
  const OutputRef x = b.Const(1);
  b.device = kCpu1;
  const OutputRef bad =
      b.Op("TestFail", {x}, {{"message", Attr("there")}}, "bad");
  b.device = "";
  const OutputRef sum = b.Add(bad, x);
  const OutputRef fine = b.Add(x, x);
  Runner r(b, Cpus(2));
  for (int run = 0; run < 20; ++run) {
    const Status s = r.Run({sum}).status;
    EXPECT_TRUE(errors::IsOutOfRange(s)) << s;
    EXPECT_EQ(errors::FailedNode(s), "bad");
    EXPECT_EQ(r.Run({fine}).Scalar(), 2);
  }
}

TEST(Close, CancelsRunsAndRefusesNewOnes) {
  Builder b;
  const OutputRef wait = b.Op("TestWait", {b.Const(1)});
  Runner r(b);
  Status waited;
  std::thread runner([&] { waited = r.Run({wait}).status; });
  absl::SleepFor(absl::Milliseconds(30));
  EXPECT_EQ(r.session->Close(), OkStatus());
  runner.join();
  EXPECT_TRUE(errors::IsCancelled(waited)) << waited;
  EXPECT_TRUE(errors::IsCancelled(r.Run({wait}).status));
  EXPECT_EQ(r.session->Close(), OkStatus());
}

}  // namespace
}  // namespace tensorwright
