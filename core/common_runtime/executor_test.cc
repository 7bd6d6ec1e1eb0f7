// SPDX-License-Identifier: Apache-2.0
// Both executors, through sessions; branches and loops:
// executor_control_flow_test.cc.
#include "core/common_runtime/executor.h"

#include <map>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/framework/decorators.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a test.

TEST(StaticExecutor, RunsNodesAfterTheirInputs) {
  Builder b;
  OutputRef x = b.Const(1);
  for (int i = 0; i < 100; ++i) x = b.Add(x, b.Const(1));
  Runner r(b);
  for (int run = 0; run < 3; ++run) {
    const Result result = r.Run({x});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(result.Scalar(), 101);
  }
}

TEST(StaticExecutor, RunsOnlyWhatIsNeeded) {
  Builder b;
  const OutputRef x = b.Add(b.Const(1), b.Const(2));
  b.Op("TestFail", {x}, {{"message", Attr("must not run")}});
  Runner r(b);
  adds = 0;
  EXPECT_EQ(r.Run({x}).Scalar(), 3);
  EXPECT_EQ(adds, 1);
}

TEST(StaticExecutor, OverwritesOnlyWhatNobodyReadsAnyMore) {
  Builder b;
  const OutputRef one = b.Const(1);
  const OutputRef x = b.Add(one, one);
  const OutputRef y = b.Op("TestIncrement", {x});  // x is read later, too.
  const OutputRef z = b.Op("TestIncrement", {y});
  const OutputRef sum = b.Add(x, z);
  Runner r(b);
  for (int run = 0; run < 3; ++run) {
    const Result result = r.Run({one, x, y, z, sum, x});
    ASSERT_EQ(result.status, OkStatus());
    EXPECT_EQ(result.Scalar(0), 1);
    EXPECT_EQ(result.Scalar(1), 2);
    EXPECT_EQ(result.Scalar(2), 3);
    EXPECT_EQ(result.Scalar(3), 4);
    EXPECT_EQ(result.Scalar(4), 6);
    EXPECT_EQ(result.Scalar(5), 2);
  }
}

TEST(StaticExecutor, NeverWritesToAFeed) {
  Builder b;
  const OutputRef x = b.Placeholder();
  const OutputRef y = b.Op("TestIncrement", {x});
  Runner r(b);
  Tensor fed(1.0f);
  EXPECT_EQ(r.Run({y}, {}, {{x, fed}}).Scalar(), 2);
  EXPECT_EQ(*fed.base<float>(), 1);
  EXPECT_TRUE(fed.RefCountIsOne()) << "a run must not keep a feed";
}

TEST(StaticExecutor, GivesResultsToTheCallerAlone) {
  Builder b;
  const OutputRef fed = b.Placeholder();
  const OutputRef x = b.Op("TestIncrement", {fed});
  Runner r(b);
  EXPECT_TRUE(r.Run({x}, {}, {{fed, Tensor(1.0f)}}).values[0].RefCountIsOne());
}

TEST(Executor, NamesTheNodeThatFailsAndStaysUsable) {
  for (int threads : {1, 4}) {
    Builder b;
    const OutputRef x = b.Const(1);
    const OutputRef bad =
        b.Op("TestFail", {x}, {{"message", Attr("no luck")}}, "bad");
    const OutputRef after = b.Add(bad, x);
    const OutputRef sleep = b.Op("TestSleep", {x}, {{"ms", Attr(int64_t{1})}});
    Runner r(b, Threads(threads));
    for (int run = 0; run < 3; ++run) {
      const Result result = r.Run({after, sleep});
      EXPECT_TRUE(errors::IsOutOfRange(result.status)) << result.status;
      EXPECT_EQ(errors::FailedNode(result.status), "bad");
      EXPECT_TRUE(result.values.empty());
      EXPECT_EQ(r.Run({sleep}).Scalar(), 1);
    }
  }
}

TEST(Executor, AnExceptionOfAKernelIsAnErrorOfTheRun) {
  Builder b;
  const OutputRef x = b.Const(1);
  const OutputRef bad = b.Op("TestThrow", {x}, {}, "bad");
  Runner r(b);
  const Result result = r.Run({bad});
  EXPECT_TRUE(errors::IsInternal(result.status)) << result.status;
  EXPECT_EQ(errors::FailedNode(result.status), "bad");
  EXPECT_TRUE(absl::StrContains(result.status.message(), "out of luck"));
  EXPECT_EQ(r.Run({x}).Scalar(), 1);
}

TEST(Executor, ChecksShapesBeforeTheKernel) {
  Builder b;
  const OutputRef x = b.Placeholder();
  const OutputRef y = b.Placeholder();
  const OutputRef z = b.Op("TestAdd", {x, y}, {}, "sum");
  Runner r(b);
  Tensor two(DT_FLOAT, {2});
  Tensor three(DT_FLOAT, {3});
  for (float& v : Flat<float>(two)) v = 1;
  for (float& v : Flat<float>(three)) v = 1;
  adds = 0;
  EXPECT_EQ(r.Run({z}, {}, {{x, two}, {y, two}}).status, OkStatus());
  const Status bad = r.Run({z}, {}, {{x, two}, {y, three}}).status;
  EXPECT_TRUE(errors::IsInvalidArgument(bad)) << bad;
  EXPECT_EQ(errors::FailedNode(bad), "sum");
  EXPECT_EQ(r.Run({z}, {}, {{x, three}, {y, three}}).status, OkStatus());
  EXPECT_EQ(r.Run({z}, {}, {{x, two}, {y, two}}).status, OkStatus());
  EXPECT_EQ(adds, 3);
}

// Calls a kernel, and counts.
class CountedKernel final : public OpKernel {
 public:
  CountedKernel(OpKernelConstruction* c, std::unique_ptr<OpKernel> inner)
      : OpKernel(c), inner_(std::move(inner)) {}
  void Compute(OpKernelContext* c) override {
    ++calls[type_string()];
    inner_->Compute(c);
  }

  static inline std::map<std::string, int> calls;

 private:
  const std::unique_ptr<OpKernel> inner_;
};

TEST(Executor, ADecoratedOpRunsAsItIsWritten) {
  Builder b;
  const OutputRef x = b.Op("Identity", {b.Const(1)});
  const OutputRef sum = b.Add(x, b.Const(2));
  const OutputRef p = b.Placeholder(DT_BOOL);
  const OutputRef taken = b.Op("Switch", {sum, p});
  const OutputRef y = b.Op("Merge", {{taken.node, 0}, {taken.node, 1}});
  const auto run = [&] {
    Runner r(b, Threads(1));
    CountedKernel::calls.clear();
    return r.Run({y}, {}, {{p, Tensor(true)}}).Scalar();
  };
  using Calls = std::map<std::string, int>;
  SetKernelDecorator(
      "", [](OpKernelConstruction* c, std::unique_ptr<OpKernel> made) {
        return std::make_unique<CountedKernel>(c, std::move(made));
      });
  EXPECT_EQ(run(), 3);
  EXPECT_EQ(CountedKernel::calls, (Calls{{"Const", 2},
                                         {"Identity", 1},
                                         {"Merge", 1},
                                         {"Switch", 1},
                                         {"TestAdd", 1}}));
  SetKernelDecorator("", nullptr);
  adds = 0;
  EXPECT_EQ(run(), 3);
  EXPECT_EQ(CountedKernel::calls, Calls());
  // By the compilation of the plan, since it is a constant.
  EXPECT_EQ(adds, 1);
}

TEST(Executor, ADecoratedConstantRunsInItsLoop) {
  Builder b;
  const OutputRef start = b.Const(0);
  const OutputRef limit = b.Const(3);
  const OutputRef end = b.While(start, limit, "loop", [&](OutputRef x) {
    const OutputRef pivot = b.Op("Identity", {x});
    return b.Add(x, b.Const(Tensor(1.0f), {pivot.node}));
  });
  SetKernelDecorator(
      "Const", [](OpKernelConstruction* c, std::unique_ptr<OpKernel> made) {
        return std::make_unique<CountedKernel>(c, std::move(made));
      });
  Runner r(b, Threads(1));
  CountedKernel::calls.clear();
  EXPECT_EQ(r.Run({end}).Scalar(), 3);
  SetKernelDecorator("", nullptr);
  // Two constants run outside, and one in each iteration.
  EXPECT_EQ(CountedKernel::calls["Const"], 2 + 3);
}

TEST(Executor, RunsExpensiveNodesInParallel) {
  Builder b;
  const OutputRef x = b.Const(1);
  std::vector<OutputRef> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(b.Op("TestSleep", {x}, {{"ms", Attr(int64_t{60})}}));
  }
  Runner r(b, Threads(4));
  most_sleeping = 0;
  ASSERT_EQ(r.Run(slow).status, OkStatus());
  EXPECT_GE(most_sleeping, 2);
}

std::vector<OutputRef> WideSleeps(Builder* b, int n) {
  const OutputRef x = b->Const(1);
  std::vector<OutputRef> sleeps;
  for (int i = 0; i < n; ++i) {
    sleeps.push_back(b->Op("TestSleep", {x},
                           {{"ms", Attr(int64_t{5})}, {"wide", Attr(true)}}));
  }
  return sleeps;
}

TEST(Executor, RunsWideNodesOneAtATimeOnceItKnowsThem) {
  Builder b;
  const std::vector<OutputRef> wide = WideSleeps(&b, 6);
  Runner r(b, Threads(4));
  ASSERT_EQ(r.Run(wide).status, OkStatus());
  for (int run = 0; run < 3; ++run) {
    most_sleeping = 0;
    ASSERT_EQ(r.Run(wide).status, OkStatus());
    EXPECT_EQ(most_sleeping, 1);
  }
}

TEST(Executor, RunsNarrowNodesBesideAWideOne) {
  Builder b;
  std::vector<OutputRef> nodes = WideSleeps(&b, 2);
  nodes.push_back(b.Op("TestSleep", {b.Const(1)}, {{"ms", Attr(int64_t{60})}}));
  Runner r(b, Threads(4));
  ASSERT_EQ(r.Run(nodes).status, OkStatus());
  most_sleeping = 0;
  ASSERT_EQ(r.Run(nodes).status, OkStatus());
  EXPECT_EQ(most_sleeping, 2);
}

TEST(Executor, AnErrorEndsARunWhoseWideNodesWait) {
  Builder b;
  std::vector<OutputRef> nodes = WideSleeps(&b, 6);
  const OutputRef x = b.Placeholder();
  const OutputRef y = b.Placeholder();
  // Fails for shapes that differ, when some wide nodes have run.
  OutputRef late = b.Op("TestSleep", {x}, {{"ms", Attr(int64_t{12})}});
  nodes.push_back(b.Op("TestAdd", {late, y}, {}, "sum"));
  Runner r(b, Threads(4));
  const Tensor one(1.0f);
  const Tensor three(DT_FLOAT, {3});
  ASSERT_EQ(r.Run(nodes, {}, {{x, one}, {y, one}}).status, OkStatus());
  for (int run = 0; run < 10; ++run) {
    const Status bad = r.Run(nodes, {}, {{x, one}, {y, three}}).status;
    EXPECT_EQ(errors::FailedNode(bad), "sum") << bad;
    EXPECT_EQ(r.Run(nodes, {}, {{x, one}, {y, one}}).status, OkStatus());
  }
}

TEST(Executor, UsesOneThreadIfToldSo) {
  Builder b;
  const OutputRef x = b.Const(1);
  std::vector<OutputRef> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(b.Op("TestSleep", {x}, {{"ms", Attr(int64_t{5})}}));
  }
  Runner r(b, Threads(1));
  most_sleeping = 0;
  ASSERT_EQ(r.Run(slow).status, OkStatus());
  EXPECT_EQ(most_sleeping, 1);
}

TEST(Executor, ObeysControlEdges) {
  Builder b;
  const OutputRef v =
      b.Op("VariableV2", {},
           {{"dtype", Attr(DT_FLOAT)}, {"shape", Attr(TensorShape())}}, "v");
  const OutputRef init = b.Op("Assign", {v, b.Const(5)});
  const OutputRef read = b.Op("Identity", {v}, {}, "", {b.NoOp({init.node})});
  Runner r(b);
  EXPECT_EQ(r.Run({read}).Scalar(), 5);
}

TEST(Executor, SaysWhichVariableIsUninitialized) {
  Builder b;
  const OutputRef v =
      b.Op("VariableV2", {},
           {{"dtype", Attr(DT_FLOAT)}, {"shape", Attr(TensorShape())}}, "v");
  const OutputRef read = b.Op("Identity", {v}, {}, "read");
  const OutputRef init = b.Op("Assign", {v, b.Const(2)}, {}, "init");
  Runner r(b);
  for (const OutputRef& fetch : {read, v}) {
    const Status s = r.Run({fetch}).status;
    EXPECT_TRUE(errors::IsFailedPrecondition(s)) << s;
    EXPECT_TRUE(absl::StrContains(s.message(), "uninitialized value v")) << s;
  }
  ASSERT_EQ(r.Run({}, {init.node}).status, OkStatus());
  EXPECT_EQ(r.Run({read}).Scalar(), 2);
  const Result fetched = r.Run({v});
  EXPECT_EQ(fetched.Scalar(), 2);
  EXPECT_TRUE(fetched.values[0].RefCountIsOne()) << "a variable is copied";
}

TEST(Cancellation, AnInterruptEndsAnEndlessLoop) {
  for (int threads : {1, 4}) {
    Builder b;
    const OutputRef exit =
        b.While(b.Const(0), b.Const(1), "loop",
                [&](OutputRef x) { return b.Op("Identity", {x}); });
    Runner r(b, Threads(threads));
    int polls = 0;
    RunHooks hooks;
    hooks.interrupted = [&polls] { return ++polls == 2; };
    const Status s = r.Run({exit}, {}, {}, {}, hooks).status;
    EXPECT_TRUE(errors::IsCancelled(s)) << s;
    EXPECT_EQ(polls, 2);
  }
}

TEST(Cancellation, ATimeoutEndsWhatWaits) {
  Builder b;
  const OutputRef x = b.Const(1);
  const OutputRef wait = b.Op("TestWait", {x}, {}, "wait");
  const OutputRef sum = b.Add(wait, x);
  Runner r(b);
  RunOptions options;
  options.set_timeout_in_ms(30);
  for (int run = 0; run < 20; ++run) {
    options.set_timeout_in_ms(run == 0 ? 30 : 1);
    const Status s = r.Run({sum}, {}, {}, options).status;
    EXPECT_TRUE(errors::IsDeadlineExceeded(s)) << s;
    EXPECT_EQ(r.Run({b.Add(x, x)}).Scalar(), 2);
  }
}

TEST(Concurrency, ManyThreadsShareOnePlan) {
  for (int inter : {1, 4}) {
    Builder b;
    const OutputRef x = b.Placeholder();
    const OutputRef limit = b.Placeholder();
    const OutputRef doubled = b.Add(x, x);
    const OutputRef exit = b.While(x, limit, "loop", [&](OutputRef v) {
      return b.Op("TestIncrement", {v});
    });
    Runner r(b, Threads(inter));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const float v = static_cast<float>(t * 100 + i % 7);
          const Result result = r.Run({doubled, exit}, {},
                                      {{x, Tensor(v)}, {limit, Tensor(v + 9)}});
          if (!result.status.ok() || result.Scalar(0) != 2 * v ||
              result.Scalar(1) != v + 9) {
            ++wrong;
          }
        }
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace tensorwright
