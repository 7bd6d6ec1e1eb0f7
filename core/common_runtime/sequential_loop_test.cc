// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations run one after the other, beside the frames that they
// replace: a traced run uses frames.
#include "core/common_runtime/sequential_loop.h"

#include <limits>
#include <utility>
#include <vector>

#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/plan.h"
#include "core/common_runtime/runtime_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a test.

Attrs FrameAttrs(bool constant) {
  return {{"frame_name", Attr("loop")},
          {"is_constant", Attr(constant)},
          {"parallel_iterations", Attr(int64_t{10})}};
}

// A loop that counts from 0 to 3, without its Exit.
struct OpenLoop {
  OutputRef merge;  // The value of each iteration.
  OutputRef last;   // That of the last one.
};
OpenLoop CountToThree(Builder* b) {
  const OutputRef enter = b->Op("Enter", {b->Const(0)}, FrameAttrs(false));
  const OutputRef limit = b->Op("Enter", {b->Const(3)}, FrameAttrs(true));
  const OutputRef merge = b->Op("Merge", {enter, enter});
  const OutputRef cond = b->Op("LoopCond", {b->Op("TestLess", {merge, limit})});
  const OutputRef split = b->Op("Switch", {merge, cond});
  const OutputRef next =
      b->Op("NextIteration", {b->Op("TestIncrement", {{split.node, 1}})});
  TF_CHECK_OK(b->graph->UpdateInput(merge.node, 1, next));
  return {merge, {split.node, 0}};
}

// The number of loops of the plan that can run one iteration after the other.
int Sequential(const Runner& r, const std::vector<OutputRef>& fetches,
               const std::vector<OutputRef>& feeds = {}) {
  auto plan = r.session->GetPlan({feeds, fetches, {}});
  TF_CHECK_OK(plan.status());
  int n = 0;
  for (const auto& partition : (*plan)->partitions()) {
    for (const CompiledFrame& frame : partition->frames()) {
      n += frame.loop != nullptr;
    }
  }
  return n;
}

RunOptions Traced() {
  RunOptions options;
  options.set_trace_level(RunOptions::FULL_TRACE);
  return options;
}

// Adds 1, or 3 if x is below `border`.
OutputRef IncrementByBranch(Builder* b, OutputRef x, OutputRef border) {
  const OutputRef less = b->Op("TestLess", {x, border});
  const OutputRef way = b->Op("Switch", {x, less});
  const OutputRef pivot = b->Op("Identity", {{way.node, 1}});
  const OutputRef two = b->Const(Tensor(2.0f), {pivot.node});
  const OutputRef yes = b->Add({way.node, 1}, two);
  const OutputRef merge = b->Op("Merge", {{way.node, 0}, yes});
  return b->Op("TestIncrement", {merge});
}

TEST(SequentialLoop, TakesBranches) {
  Builder b;
  const OutputRef border = b.Op("Enter", {b.Const(10)}, FrameAttrs(true));
  const OutputRef exit =
      b.While(b.Const(0), b.Const(15), "loop",
              [&](OutputRef x) { return IncrementByBranch(&b, x, border); });
  Runner r(b);
  EXPECT_EQ(Sequential(r, {exit}), 1);
  for (int run = 0; run < 3; ++run) {
    // 0, 3, 6, 9, 12, 13, 14, 15
    EXPECT_EQ(r.Run({exit}).Scalar(), 15);
    EXPECT_EQ(r.Run({exit}, {}, {}, Traced()).Scalar(), 15);
  }
}

TEST(SequentialLoop, CarriesSeveralValues) {
  Builder b;
  // x counts to 5; y takes the x of the iteration before, z what y was.
  const OutputRef start = b.Const(0);
  OutputRef merges[3];
  for (OutputRef& merge : merges) {
    const OutputRef enter = b.Op("Enter", {start}, FrameAttrs(false));
    merge = b.Op("Merge", {enter, enter});
  }
  const OutputRef limit = b.Op("Enter", {b.Const(5)}, FrameAttrs(true));
  const OutputRef cond =
      b.Op("LoopCond", {b.Op("TestLess", {merges[0], limit})});
  std::vector<OutputRef> exits;
  OutputRef inside[3];
  for (int i = 0; i < 3; ++i) {
    const OutputRef split = b.Op("Switch", {merges[i], cond});
    exits.push_back(b.Op("Exit", {{split.node, 0}}));
    inside[i] = {split.node, 1};
  }
  const OutputRef bodies[3] = {b.Op("TestIncrement", {inside[0]}), inside[0],
                               inside[1]};
  for (int i = 0; i < 3; ++i) {
    const OutputRef next = b.Op("NextIteration", {bodies[i]});
    TF_CHECK_OK(b.graph->UpdateInput(merges[i].node, 1, next));
  }
  Runner r(b);
  EXPECT_EQ(Sequential(r, exits), 1);
  for (const RunOptions& options : {RunOptions(), Traced()}) {
    const Result result = r.Run(exits, {}, {}, options);
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(result.Scalar(0), 5);
    EXPECT_EQ(result.Scalar(1), 4);
    EXPECT_EQ(result.Scalar(2), 3);
  }
}

TEST(SequentialLoop, IsDeadOnABranchNotTaken) {
  Builder b;
  const OutputRef p = b.Placeholder(DT_BOOL);
  const OutputRef s = b.Op("Switch", {b.Const(0), p});
  const OutputRef exit =
      b.While({s.node, 1}, b.Const(7), "loop",
              [&](OutputRef x) { return b.Op("TestIncrement", {x}); });
  const OutputRef merge = b.Op("Merge", {{s.node, 0}, exit});
  Runner r(b);
  EXPECT_EQ(Sequential(r, {merge}, {p}), 1);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(true)}}).Scalar(), 7);
    EXPECT_EQ(r.Run({merge}, {}, {{p, Tensor(false)}}).Scalar(), 0);
  }
}

TEST(SequentialLoop, LetsOthersRunBesideAnEndlessOne) {
  for (int threads : {1, 4}) {
    Builder b;
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<OutputRef> fetches;
    for (const char* name : {"one", "another"}) {
      fetches.push_back(
          b.While(b.Const(0), b.Const(infinity), name,
                  [&](OutputRef x) { return b.Op("TestIncrement", {x}); }));
    }
    const OutputRef sum =
        b.While(b.Const(0), b.Const(2000), "short",
                [&](OutputRef x) { return b.Op("TestIncrement", {x}); });
    fetches.push_back(b.Op("TestFail", {sum}, {{"message", Attr("enough")}}));
    Runner r(b, Threads(threads));
    EXPECT_EQ(Sequential(r, fetches), 3);
    const Status s = r.Run(fetches).status;
    EXPECT_TRUE(errors::IsOutOfRange(s)) << s;
  }
}

TEST(SequentialLoop, EndsInTime) {
  Builder b;
  const OutputRef exit =
      b.While(b.Const(0), b.Const(std::numeric_limits<float>::infinity()),
              "loop", [&](OutputRef x) { return b.Op("TestIncrement", {x}); });
  Runner r(b);
  RunOptions options;
  options.set_timeout_in_ms(50);
  const Status s = r.Run({exit}, {}, {}, options).status;
  EXPECT_TRUE(errors::IsDeadlineExceeded(s)) << s;
}

TEST(SequentialLoop, KeepsNoValueWhenItHasEnded) {
  Builder b;
  const OutputRef limit = b.Placeholder();
  const OutputRef exit = b.While(b.Const(0), limit, "loop", [&](OutputRef x) {
    return b.Op("TestIncrement", {x});
  });
  Runner r(b);
  const Tensor value(4.0f);
  EXPECT_EQ(r.Run({exit}, {}, {{limit, value}}).Scalar(), 4);
  EXPECT_TRUE(value.RefCountIsOne());
}

TEST(SequentialLoop, AnErrorNamesItsNode) {
  Builder b;
  const OutputRef exit =
      b.While(b.Const(0), b.Const(20), "loop", [&](OutputRef x) {
        return b.Op("TestFail", {x}, {{"message", Attr("inside")}}, "inside");
      });
  Runner r(b);
  for (int run = 0; run < 2; ++run) {
    const Status s = r.Run({exit}).status;
    EXPECT_TRUE(errors::IsOutOfRange(s)) << s;
    EXPECT_EQ(errors::FailedNode(s), "inside");
  }
}

TEST(SequentialLoop, AnExitWithTwoValuesIsAnError) {
  for (const RunOptions& options : {RunOptions(), Traced()}) {
    Builder b;
    const OpenLoop loop = CountToThree(&b);
    // Every iteration has this value.
    const OutputRef exit = b.Op("Exit", {loop.merge}, {}, "wrong");
    Runner r(b);
    EXPECT_EQ(Sequential(r, {exit}), 1);
    const Status s = r.Run({exit}, {}, {}, options).status;
    EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
    EXPECT_EQ(errors::FailedNode(s), "wrong");
  }
}

// The second variable enters with what the first one left with.
TEST(SequentialLoop, AnEnterMayWaitForAnExitOfItsFrame) {
  Builder b;
  const OpenLoop loop = CountToThree(&b);
  const OutputRef exit = b.Op("Exit", {loop.last});
  const OutputRef late = b.Op("Enter", {exit}, FrameAttrs(false));
  const OutputRef result =
      b.Op("Exit", {b.Op("TestIncrement", {b.Op("Merge", {late})})});
  Runner r(b);
  EXPECT_EQ(Sequential(r, {result}), 0);
  EXPECT_EQ(r.Run({result}).Scalar(), 4);
}

TEST(SequentialLoop, TheInnerOneOfTwoLoopsIsOne) {
  for (int threads : {1, 4}) {
    Builder b;
    const OutputRef exit =
        b.While(b.Const(0), b.Const(60), "loop", [&](OutputRef x) {
          const OutputRef five = b.Op("Enter", {b.Const(5)}, FrameAttrs(true));
          return b.While(x, b.Add(x, five), "inner", [&](OutputRef y) {
            return b.Op("TestIncrement", {y});
          });
        });
    Runner r(b, Threads(threads));
    EXPECT_EQ(Sequential(r, {exit}), 1);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(r.Run({exit}).Scalar(), 60);
  }
}

}  // namespace
}  // namespace tensorwright
