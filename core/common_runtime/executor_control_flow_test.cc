// SPDX-License-Identifier: Apache-2.0
// The executor of graphs with branches and loops, through sessions.
#include "core/common_runtime/executor.h"
#include "core/common_runtime/runtime_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a test.

TEST(ControlFlow, SwitchSendsItsInputOneWay) {
  for (bool pred : {false, true}) {
    Builder b;
    const OutputRef p = b.Placeholder(DT_BOOL);
    const OutputRef s = b.Op("Switch", {b.Const(1), p});
    const OutputRef no = b.Add({s.node, 0}, {s.node, 0});
    const OutputRef yes = b.Op("TestIncrement", {{s.node, 1}});
    const OutputRef more = b.Op("TestIncrement", {yes});
    const OutputRef merge = b.Op("Merge", {no, more});
    Runner r(b);
    const Result result = r.Run({merge}, {}, {{p, Tensor(pred)}});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(result.Scalar(), pred ? 3 : 2);
    const Status dead = r.Run({yes}, {}, {{p, Tensor(false)}}).status;
    EXPECT_TRUE(errors::IsInvalidArgument(dead)) << dead;
  }
}

TEST(ControlFlow, DeadnessGoesThroughControlEdgesToConstants) {
  Builder b;
  const OutputRef p = b.Placeholder(DT_BOOL);
  const OutputRef s = b.Op("Switch", {p, p});
  const OutputRef pivot_no = b.Op("Identity", {{s.node, 0}});
  const OutputRef pivot_yes = b.Op("Identity", {{s.node, 1}});
  const OutputRef no = b.Const(Tensor(10.0f), {pivot_no.node});
  const OutputRef yes = b.Const(Tensor(20.0f), {pivot_yes.node});
  const OutputRef merge = b.Op("Merge", {no, yes});
  Runner r(b);
  EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(true)}}).Scalar(), 20);
  EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(false)}}).Scalar(), 10);
}

TEST(ControlFlow, LoopsUntilTheConditionFails) {
  for (int parallel : {1, 2, 10}) {
    Builder b;
    const OutputRef exit = b.While(
        b.Const(0), b.Const(1000), "loop",
        [&](OutputRef x) { return b.Op("TestIncrement", {x}); }, parallel);
    Runner r(b);
    for (int run = 0; run < 3; ++run) {
      const Result result = r.Run({exit});
      ASSERT_EQ(result.status, OkStatus());
      EXPECT_EQ(result.Scalar(), 1000);
    }
  }
}

TEST(ControlFlow, LoopsNest) {
  for (int threads : {1, 4}) {
    Builder b;
    const OutputRef five = b.Const(5);
    const OutputRef exit =
        b.While(b.Const(0), b.Const(60), "outer", [&](OutputRef x) {
          // Adds 5 to x in single steps.
          const OutputRef to =
              b.Add(x, b.Op("Enter", {five},
                            {{"frame_name", Attr("outer")},
                             {"is_constant", Attr(true)},
                             {"parallel_iterations", Attr(int64_t{10})}}));
          return b.While(x, to, "inner", [&](OutputRef y) {
            return b.Op("TestIncrement", {y});
          });
        });
    Runner r(b, Threads(threads));
    for (int run = 0; run < 3; ++run) {
      const Result result = r.Run({exit});
      ASSERT_EQ(result.status, OkStatus());
      EXPECT_EQ(result.Scalar(), 60);
    }
  }
}

TEST(ControlFlow, ALoopOnABranchNotTakenIsDead) {
  Builder b;
  const OutputRef p = b.Placeholder(DT_BOOL);
  const OutputRef s = b.Op("Switch", {b.Const(0), p});
  const OutputRef limit = b.Op("Switch", {b.Const(7), p});
  const OutputRef exit =
      b.While({s.node, 1}, {limit.node, 1}, "loop",
              [&](OutputRef x) { return b.Op("TestIncrement", {x}); });
  const OutputRef merge = b.Op("Merge", {{s.node, 0}, exit});
  Runner r(b);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(true)}}).Scalar(), 7);
    EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(false)}}).Scalar(), 0);
  }
}

TEST(ControlFlow, ExpensiveBodiesRunInThreads) {
  Builder b;
  const OutputRef exit =
      b.While(b.Const(0), b.Const(20), "loop", [&](OutputRef x) {
        const OutputRef a = b.Op("TestSleep", {x}, {{"ms", Attr(int64_t{1})}});
        const OutputRef c = b.Op("TestSleep", {x}, {{"ms", Attr(int64_t{1})}});
        return b.Op("TestIncrement", {b.Op("Identity", {a}, {}, "", {c.node})});
      });
  Runner r(b, Threads(4));
  for (int run = 0; run < 5; ++run) EXPECT_EQ(r.Run({exit}).Scalar(), 20);
}

TEST(ControlFlow, WideBodiesRunOneAtATime) {
  Builder b;
  const Attrs wide = {{"ms", Attr(int64_t{1})}, {"wide", Attr(true)}};
  const OutputRef exit =
      b.While(b.Const(0), b.Const(20), "loop", [&](OutputRef x) {
        const OutputRef a = b.Op("TestSleep", {x}, wide);
        const OutputRef c = b.Op("TestSleep", {x}, wide);
        return b.Op("TestIncrement", {b.Op("Identity", {a}, {}, "", {c.node})});
      });
  Runner r(b, Threads(4));
  EXPECT_EQ(r.Run({exit}).Scalar(), 20);
  most_sleeping = 0;
  for (int run = 0; run < 5; ++run) EXPECT_EQ(r.Run({exit}).Scalar(), 20);
  EXPECT_EQ(most_sleeping, 1);
}

TEST(ControlFlow, AnErrorInALoopEndsTheRun) {
  for (int threads : {1, 4}) {
    Builder b;
    const OutputRef exit =
        b.While(b.Const(0), b.Const(20), "loop", [&](OutputRef x) {
          return b.Op("TestFail", {x}, {{"message", Attr("inside")}}, "inside");
        });
    const OutputRef other = b.Add(b.Const(1), b.Const(1));
    Runner r(b, Threads(threads));
    const Status s = r.Run({exit}).status;
    EXPECT_TRUE(errors::IsOutOfRange(s)) << s;
    EXPECT_EQ(errors::FailedNode(s), "inside");
    EXPECT_EQ(r.Run({other}).Scalar(), 2);
  }
}

}  // namespace
}  // namespace tensorwright
