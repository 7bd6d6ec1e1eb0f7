// SPDX-License-Identifier: Apache-2.0
// RandomGamma, StatelessRandomGammaV2 and StatelessRandomGammaV3.
//
// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
// Values are TensorFlow's for equal seeds.

#include <cmath>
#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/random/samples_per_parameter.h"
#include "core/kernels/random/stateless_generator.h"

namespace tensorwright {
namespace {

using random::PhiloxRandom;

// Draws for one shape parameter, in double.
class GammaSampler {
 public:
  explicit GammaSampler(double alpha)
      : alpha_(alpha),
        // Below 1 the sample is one for alpha + 1, times a power.
        d_(alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3)),
        c_(1.0 / 3 / std::sqrt(d_)) {}

  double operator()(PhiloxRandom* gen) const {
    UniformsOneByOne uniform(gen);
    // alpha 1 gives the exponential distribution.
    if (alpha_ == 1.0) return -std::log1p(-uniform());
    // Samples tend to 0 with alpha; a negative alpha has no distribution.
    if (alpha_ == 0) return 0;
    if (!(alpha_ > 0)) return std::nan("");
    NormalsOneByOne normal(gen);
    for (;;) {
      const double x = normal();
      double v = 1 + c_ * x;
      if (v <= 0) continue;
      v = v * v * v;
      const double u = uniform();
      // The first condition avoids most of the logarithms.
      if (u < 1 - 0.0331 * (x * x) * (x * x) ||
          std::log(u) < 0.5 * x * x + d_ * (1 - v + std::log(v))) {
        const double sample = d_ * v;
        return alpha_ < 1 ? sample * std::pow(uniform(), 1 / alpha_) : sample;
      }
    }
  }

 private:
  double alpha_, d_, c_;
};

template <typename T>
class RandomGammaOp final : public OpKernel {
 public:
  explicit RandomGammaOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateSamples(this, ctx, &out));
    const Tensor& alpha = ctx->input(1);
    const T* const alphas = alpha.base<T>();
    constexpr int64_t kCost = 300;
    FillSamples(
        ctx, &generator_, alpha.NumElements(), out->NumElements(), kCost,
        [alphas](int64_t i) {
          return GammaSampler(static_cast<double>(alphas[i]));
        },
        out->base<T>());
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_FOR_TYPES(Name("RandomGamma")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("alpha"),
                          "T", RandomGammaOp, half, float, double);

// Inputs: shape, seed, alpha; or shape, key, counter, alg, alpha.
template <typename T>
class StatelessRandomGammaOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    PhiloxRandom gen;
    if (ctx->num_inputs() == 3) {
      gen = StatelessGenerator(ctx->input(1));
    } else {
      OP_REQUIRES_OK(ctx, KeyedGenerator(type_string(), ctx->input(1),
                                         ctx->input(2), ctx->input(3), &gen));
    }
    const Tensor& alpha = ctx->input(ctx->num_inputs() - 1);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateForParameters(this, ctx, alpha.shape(), &out));
    const T* const alphas = alpha.base<T>();
    constexpr int64_t kCost = 300;
    FillSamples(
        ctx, gen, alpha.NumElements(), out->NumElements(), kCost,
        [alphas](int64_t i) {
          return GammaSampler(static_cast<double>(alphas[i]));
        },
        out->base<T>());
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomGammaV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed")
                              .HostMemory("alpha"),
                          "dtype", StatelessRandomGammaOp, half, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomGammaV3")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("key")
                              .HostMemory("counter")
                              .HostMemory("alg")
                              .HostMemory("alpha"),
                          "dtype", StatelessRandomGammaOp, half, float, double);

}  // namespace
}  // namespace tensorwright
