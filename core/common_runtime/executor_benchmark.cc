// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a run around the kernels: bazel run
// //core/common_runtime:executor_benchmark
#include "benchmark/benchmark.h"
#include "core/common_runtime/runtime_testutil.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a benchmark.

// Runs `fetches` and `targets` again and again with a plan made once.
void RunPlan(benchmark::State& state, const Builder& b,
             const NodeSignature& signature, const std::vector<Tensor>& feeds,
             const ConfigProto& config) {
  Runner r(b, config);
  auto plan = r.session->GetPlan(signature);
  TF_CHECK_OK(plan.status());
  std::vector<Tensor> fetches;
  const RunHooks hooks;
  for (auto _ : state) {
    TF_CHECK_OK(r.session->RunCallable(**plan, nullptr, feeds, &fetches,
                                       nullptr, hooks));
  }
}

void NoOp(benchmark::State& state) {
  Builder b;
  RunPlan(state, b, {{}, {}, {b.NoOp({})}}, {}, {});
}
BENCHMARK(NoOp);

void FeedAddFetch(benchmark::State& state) {
  Builder b;
  const OutputRef x = b.Placeholder();
  RunPlan(state, b, {{x}, {b.Add(x, b.Const(1))}, {}}, {Tensor(2.0f)}, {});
}
BENCHMARK(FeedAddFetch);

// `range(0)` dependent scalar additions.
void Chain(benchmark::State& state) {
  Builder b;
  OutputRef x = b.Const(0);
  const OutputRef one = b.Const(1);
  for (int i = 0; i < state.range(0); ++i) x = b.Add(x, one);
  RunPlan(state, b, {{}, {x}, {}}, {}, {});
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Chain)->Arg(1000);

// `range(0)` iterations of `x + 1`.
void WhileLoop(benchmark::State& state) {
  Builder b;
  const OutputRef exit =
      b.While(b.Const(0), b.Const(static_cast<float>(state.range(0))), "loop",
              [&](OutputRef x) { return b.Op("TestIncrement", {x}); });
  RunPlan(state, b, {{}, {exit}, {}}, {}, {});
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(WhileLoop)->Arg(1000);

void AddNodeToGraph(benchmark::State& state) {
  Builder b;
  OutputRef x = b.Const(0);
  const OutputRef one = b.Const(1);
  for (auto _ : state) x = b.Add(x, one);
}
BENCHMARK(AddNodeToGraph)->Iterations(100000);

// Compiles a plan of `range(0)` nodes, as a first run does.
void CompilePlan(benchmark::State& state) {
  Builder b;
  OutputRef x = b.Const(0);
  const OutputRef one = b.Const(1);
  for (int i = 0; i < state.range(0); ++i) x = b.Add(x, one);
  for (auto _ : state) {
    Runner r(b);
    TF_CHECK_OK(r.session->GetPlan({{}, {x}, {}}).status());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(CompilePlan)->Arg(10000);

}  // namespace
}  // namespace tensorwright
