// SPDX-License-Identifier: Apache-2.0
// Convolutions and their gradients: layers of a small MNIST network, VGG and
// ResNet.  bazel run -c opt //core/kernels/nn:conv_ops_benchmark
//
// benchmarks/peer.py times the same sizes in TensorFlow.

#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "core/kernels/lib/ops_testutil.h"

namespace tensorwright {
namespace {

struct Layer {
  const char* name;
  int batch, size, in_depth, kernel, out_depth, stride;
};

constexpr Layer kLayers[] = {
    {"mnist1", 64, 28, 1, 5, 32, 1},    {"mnist2", 64, 14, 32, 5, 64, 1},
    {"resnet1", 8, 56, 64, 3, 64, 1},   {"resnet2", 8, 56, 256, 1, 64, 1},
    {"resnet3", 8, 28, 128, 3, 128, 2}, {"resnet4", 8, 7, 512, 3, 512, 1},
    {"rgb", 8, 224, 3, 7, 64, 2},
};

Tensor Filled(const TensorShape& shape) {
  Tensor t(DT_FLOAT, shape);
  float* x = t.base<float>();
  for (int64_t i = 0; i < t.NumElements(); ++i) x[i] = (i % 13) * 0.1f - 0.6f;
  return t;
}

Tensor Sizes(const TensorShape& shape) {
  Tensor t(DT_INT32, TensorShape({shape.dims()}));
  for (int i = 0; i < shape.dims(); ++i) t.base<int32>()[i] = shape.dim_size(i);
  return t;
}

// `op` is Conv2D or one of its gradients.
void Run(benchmark::State& state, const std::string& op, const Layer& layer,
         int threads) {
  KernelRunner runner(threads);
  const Status init = runner.InitOp(
      op, {{"T", DT_FLOAT},
           {"padding", "SAME"},
           {"strides", std::vector<int>{1, layer.stride, layer.stride, 1}}});
  if (!init.ok()) return state.SkipWithError(init.ToString().c_str());
  const int out = (layer.size + layer.stride - 1) / layer.stride;
  const TensorShape input(
      {layer.batch, layer.size, layer.size, layer.in_depth});
  const TensorShape filter(
      {layer.kernel, layer.kernel, layer.in_depth, layer.out_depth});
  const TensorShape output({layer.batch, out, out, layer.out_depth});
  if (op == "Conv2D") {
    runner.AddInput(Filled(input));
    runner.AddInput(Filled(filter));
  } else if (op == "Conv2DBackpropInput") {
    runner.AddInput(Sizes(input));
    runner.AddInput(Filled(filter));
    runner.AddInput(Filled(output));
  } else {
    runner.AddInput(Filled(input));
    runner.AddInput(Sizes(filter));
    runner.AddInput(Filled(output));
  }
  const Status first = runner.Run();
  if (!first.ok()) return state.SkipWithError(first.ToString().c_str());
  for (auto _ : state) {
    benchmark::DoNotOptimize(runner.RunKernelOnly().ok());
  }
  const double flops = 2.0 * output.num_elements() * layer.kernel *
                       layer.kernel * layer.in_depth;
  state.counters["flop/s"] = benchmark::Counter(flops * state.iterations(),
                                                benchmark::Counter::kIsRate);
}

const bool registered = [] {
  for (const char* op :
       {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"}) {
    for (const Layer& layer : kLayers) {
      for (int threads : {1, 2}) {
        benchmark::RegisterBenchmark(
            (std::string(op) + "/" + layer.name +
             "/threads:" + std::to_string(threads))
                .c_str(),
            [=](benchmark::State& state) { Run(state, op, layer, threads); })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace tensorwright
