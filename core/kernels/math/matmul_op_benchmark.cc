// SPDX-License-Identifier: Apache-2.0
// Matrix products from tiny to large, in each transposition, and our own
// product.  bazel run -c opt //core/kernels/math:matmul_op_benchmark

#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "core/kernels/lib/ops_testutil.h"

namespace tensorwright {
namespace {

struct Sizes {
  int m, n, k;
};

constexpr Sizes kSizes[] = {
    {8, 8, 8},          {32, 32, 32},     {128, 128, 128},  {512, 512, 512},
    {1024, 1024, 1024}, {64, 10, 1024},   {64, 1024, 3136}, {32, 1024, 1024},
    {1, 1024, 1024},    {3136, 1024, 64},
};

void Run(benchmark::State& state, DataType dtype, Sizes s, bool transpose_a,
         bool transpose_b, int threads) {
  KernelRunner runner(threads);
  const Status init = runner.InitOp("MatMul", {{"T", dtype},
                                               {"transpose_a", transpose_a},
                                               {"transpose_b", transpose_b}});
  if (!init.ok()) return state.SkipWithError(init.ToString().c_str());
  const auto matrix = [dtype](int rows, int cols) {
    Tensor t(dtype, TensorShape({rows, cols}));
    for (int64_t i = 0; i < t.NumElements(); ++i) {
      if (dtype == DT_FLOAT) {
        t.base<float>()[i] = (i % 13) * 0.1f - 0.6f;
      } else {
        t.base<double>()[i] = (i % 13) * 0.1 - 0.6;
      }
    }
    return t;
  };
  runner.AddInput(transpose_a ? matrix(s.k, s.m) : matrix(s.m, s.k));
  runner.AddInput(transpose_b ? matrix(s.n, s.k) : matrix(s.k, s.n));
  const Status first = runner.Run();
  if (!first.ok()) return state.SkipWithError(first.ToString().c_str());
  for (auto _ : state) {
    benchmark::DoNotOptimize(runner.RunKernelOnly().ok());
  }
  state.counters["flop/s"] = benchmark::Counter(
      2.0 * s.m * s.n * s.k * state.iterations(), benchmark::Counter::kIsRate);
}

const bool registered = [] {
  for (DataType dtype : {DT_FLOAT, DT_DOUBLE}) {
    for (const Sizes& s : kSizes) {
      for (int transposed = 0; transposed < 3; ++transposed) {
        for (int threads : {1, 2}) {
          const std::string name =
              DataTypeString(dtype) + "/" + std::to_string(s.m) + "x" +
              std::to_string(s.n) + "x" + std::to_string(s.k) +
              (transposed == 1   ? "/a'"
               : transposed == 2 ? "/b'"
                                 : "") +
              "/threads:" + std::to_string(threads);
          benchmark::RegisterBenchmark(name.c_str(),
                                       [=](benchmark::State& state) {
                                         Run(state, dtype, s, transposed == 1,
                                             transposed == 2, threads);
                                       })
              ->UseRealTime()
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace tensorwright
