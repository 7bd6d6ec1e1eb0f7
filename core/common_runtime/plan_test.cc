// SPDX-License-Identifier: Apache-2.0
#include "core/common_runtime/plan.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/common_runtime/run_state.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/framework/rendezvous.h"
#include "core/graph/graph_constructor.h"
#include "core/graph/graph_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: its tests.

// Answers every Recv with a value of its own, and keeps the values that are
// sent.
class FixedRendezvous final : public Rendezvous {
 public:
  Status Send(const ParsedKey& key, const Args&, const Tensor& value,
              bool) override {
    sent.emplace_back(std::string(key.edge_name), value);
    return OkStatus();
  }
  void RecvAsync(const ParsedKey& key, const Args& args,
                 DoneCallback done) override {
    received.emplace_back(key.edge_name);
    done(OkStatus(), Args(), args, Tensor(20.0f), false);
  }
  void StartAbort(const Status& status) override { aborted = status; }

  std::vector<std::pair<std::string, Tensor>> sent;
  std::vector<std::string> received;
  Status aborted;
};

std::unique_ptr<Graph> ParseWhole(const std::string& text) {
  auto graph = std::make_unique<Graph>(OpRegistry::Global());
  GraphConstructorOptions options;
  options.allow_internal_ops = true;
  TF_CHECK_OK(ConvertGraphDefToGraph(options, testing_graph::ParseGraph(text),
                                     graph.get(), nullptr));
  return graph;
}

constexpr char kEdge[] = R"(
    attr { key: "send_device" value { s: "/job:a/replica:0/task:0/device:CPU:0" } }
    attr { key: "recv_device" value { s: "/job:b/replica:0/task:0/device:CPU:0" } }
    attr { key: "send_device_incarnation" value { i: 7 } }
    attr { key: "client_terminated" value { b: false } } )";

// A graph as a worker gets it: doubles the value that it receives and sends it
// on.
std::unique_ptr<Graph> Partition() {
  return ParseWhole(std::string(R"(node { name: "in" op: "_Recv"
          attr { key: "tensor_type" value { type: DT_FLOAT } }
          attr { key: "tensor_name" value { s: "edge_in" } } )") +
                    kEdge + R"(}
      node { name: "sum" op: "TestAdd" input: "in" input: "in" }
      node { name: "out" op: "_Send" input: "sum"
          attr { key: "T" value { type: DT_FLOAT } }
          attr { key: "tensor_name" value { s: "edge_out" } } )" +
                    kEdge + "}");
}

struct PartitionRun {
  PartitionRun() : resources(*SessionResources::New(ConfigProto())) {
    auto made = CompileGraph(Partition(), resources, &resources->kernels,
                             PlanOptions());
    TF_CHECK_OK(made.status());
    plan = *std::move(made);
  }

  Status Run(StepArgs args) {
    std::unique_ptr<RunState> state = plan->AcquireRunState();
    args.id = NewStepId();
    plan->BeginStep(state.get(), args);
    std::vector<Tensor> fetches(plan->num_fetches());
    const Status status = plan->Execute(state.get(), {}, &fetches);
    if (state->step->End()) plan->ReleaseRunState(std::move(state));
    return status;
  }

  std::shared_ptr<SessionResources> resources;
  std::shared_ptr<const Plan> plan;
};

TEST(Plan, AStepMeetsOthersInTheRendezvousItIsGiven) {
  PartitionRun partition;
  auto* rendezvous = new FixedRendezvous;
  const core::ScopedUnref unref(rendezvous);
  StepArgs args;
  args.rendezvous = rendezvous;
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(partition.Run(args), OkStatus());
    ASSERT_EQ(rendezvous->received.size(), static_cast<size_t>(run + 1));
    EXPECT_EQ(rendezvous->received[run], "edge_in");
    ASSERT_EQ(rendezvous->sent.size(), static_cast<size_t>(run + 1));
    EXPECT_EQ(rendezvous->sent[run].first, "edge_out");
    EXPECT_EQ(*rendezvous->sent[run].second.base<float>(), 40);
  }
  EXPECT_EQ(rendezvous->aborted, OkStatus());
  EXPECT_TRUE(rendezvous->RefCountIsOne());  // The steps have let it go.
}

TEST(Plan, AStepWithoutARendezvousHasOneForItself) {
  PartitionRun partition;
  StepArgs args;
  args.deadline = absl::Now() + absl::Milliseconds(50);
  const Status s = partition.Run(args);  // Nobody sends.
  EXPECT_TRUE(errors::IsDeadlineExceeded(s)) << s;
}

TEST(Plan, AStepThatFailsAbortsTheRendezvousItWasGiven) {
  PartitionRun partition;
  auto* rendezvous = new FixedRendezvous;
  const core::ScopedUnref unref(rendezvous);
  std::unique_ptr<RunState> state = partition.plan->AcquireRunState();
  StepArgs args;
  args.rendezvous = rendezvous;
  partition.plan->BeginStep(state.get(), args);
  state->step->Fail(errors::Aborted("a peer has gone"));
  EXPECT_TRUE(errors::IsAborted(rendezvous->aborted));
  EXPECT_FALSE(state->step->End());
}

TEST(Plan, TheEndpointsOfAWholeGraphAreInTheOrderOfTheirIndex) {
  const auto resources = *SessionResources::New(ConfigProto());
  const auto compile = [&](int first, int second) {
    return CompileGraph(ParseWhole(absl::StrCat(
                            R"(node { name: "a" op: "_Arg"
                 attr { key: "T" value { type: DT_FLOAT } }
                 attr { key: "index" value { i: )",
                            first, R"( } } }
               node { name: "b" op: "_Arg"
                 attr { key: "T" value { type: DT_FLOAT } }
                 attr { key: "index" value { i: )",
                            second, R"( } } }
               node { name: "r" op: "_Retval" input: "b"
                 attr { key: "T" value { type: DT_FLOAT } }
                 attr { key: "index" value { i: 0 } } })")),
                        resources, &resources->kernels, PlanOptions());
  };
  const auto plan = compile(1, 0);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ((*plan)->feeds().size(), 2u);
  EXPECT_EQ((*plan)->feeds()[0].name, "b:0");
  EXPECT_EQ((*plan)->num_fetches(), 1);
  for (const auto& [first, second] :
       std::vector<std::pair<int, int>>{{0, 0}, {0, 2}, {3, 0}}) {
    const Status s = compile(first, second).status();
    EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
    EXPECT_TRUE(absl::StrContains(s.message(), "each once")) << s;
  }
}

}  // namespace
}  // namespace tensorwright
