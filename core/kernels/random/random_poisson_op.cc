// SPDX-License-Identifier: Apache-2.0
// RandomPoisson, RandomPoissonV2, StatelessRandomPoisson.
//
// Rates below 10 use Knuth, The Art of Computer Programming 2, 3.4.1; others
// use algorithm PTRS of Hoermann, "The Transformed Rejection Method for
// Generating Poisson Random Variables" (1993), whose letters these are.  Values
// are TensorFlow's for equal seeds.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/random/samples_per_parameter.h"
#include "core/kernels/random/stateless_generator.h"

namespace tensorwright {
namespace {

using random::PhiloxRandom;

// Returns the largest number that an output can be.
template <typename T>
double Highest() {
  if constexpr (std::is_same_v<T, half>) {
    return 65504.0;
  } else {
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

// std::lgamma writes a global variable; lgamma_r does not.
double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// Stands for infinity, which integers lack.
template <typename T>
double Infinite() {
  if constexpr (std::is_integral_v<T>) {
    return Highest<T>();
  } else {
    return std::numeric_limits<double>::infinity();
  }
}

// Draws for one rate, in double.  A draw is at most `highest`, unless the rate
// is infinite or so far above `highest` that one draw in a thousand would be
// below it: then the draw is `infinite`.
class PoissonSampler {
 public:
  PoissonSampler(double rate, double highest, double infinite)
      : rate_(rate),
        highest_(highest),
        infinite_(infinite),
        exp_neg_rate_(std::exp(-rate)),
        log_rate_(std::log(rate)),
        b_(0.931 + 2.53 * std::sqrt(rate)),
        a_(-0.059 + 0.02483 * b_),
        inv_alpha_(1.1239 + 1.1328 / (b_ - 3.4)) {}

  double operator()(PhiloxRandom* gen) const {
    // A rate that is infinite, negative or NaN has no distribution.
    if (!(rate_ >= 0) || std::isinf(rate_)) return Undefined();
    if (rate_ - 3 * std::sqrt(rate_) > highest_) return infinite_;
    return rate_ < 10 ? Count(gen) : Transform(gen);
  }

 private:
  double Undefined() const {
    if (std::isinf(rate_) && rate_ > 0) return infinite_;
    return std::isnan(rate_) ? rate_ : 0;
  }

  // Counts the numbers until their product is below exp(-rate).
  double Count(PhiloxRandom* gen) const {
    UniformsOneByOne uniform(gen);
    double product = 1;
    for (double x = 0;; x += 1) {
      product *= uniform();
      if (product <= exp_neg_rate_ && x <= highest_) return x;
    }
  }

  double Transform(PhiloxRandom* gen) const {
    UniformsOneByOne uniform(gen);
    for (;;) {
      const double u = uniform() - 0.5;
      const double v = uniform();
      const double u_shifted = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / u_shifted + b_) * u + rate_ + 0.43);
      if (k > highest_) continue;
      // This rectangle is below the density whatever the rate is.
      if (u_shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b_ - 2)) return k;
      if (k < 0 || (u_shifted < 0.013 && v > u_shifted)) continue;
      const double s =
          std::log(v * inv_alpha_ / (a_ / (u_shifted * u_shifted) + b_));
      if (s <= -rate_ + k * log_rate_ - LogGamma(k + 1)) return k;
    }
  }

  double rate_, highest_, infinite_, exp_neg_rate_, log_rate_, b_, a_,
      inv_alpha_;
};

template <typename R>
void ToDoubles(const Tensor& tensor, std::vector<double>* values) {
  const R* const from = tensor.base<R>();
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    (*values)[i] = static_cast<double>(from[i]);
  }
}

std::vector<double> Rates(const Tensor& rate) {
  std::vector<double> rates(rate.NumElements());
  switch (rate.dtype()) {
    case DT_HALF:
      ToDoubles<half>(rate, &rates);
      break;
    case DT_FLOAT:
      ToDoubles<float>(rate, &rates);
      break;
    case DT_INT32:
      ToDoubles<int32_t>(rate, &rates);
      break;
    case DT_INT64:
      ToDoubles<int64_t>(rate, &rates);
      break;
    default:
      ToDoubles<double>(rate, &rates);
  }
  return rates;
}

template <typename T>
class RandomPoissonOp final : public OpKernel {
 public:
  explicit RandomPoissonOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateSamples(this, ctx, &out));
    const std::vector<double> rates = Rates(ctx->input(1));
    constexpr int64_t kCost = 250;
    FillSamples(
        ctx, &generator_, static_cast<int64_t>(rates.size()),
        out->NumElements(), kCost,
        [&rates](int64_t i) {
          return PoissonSampler(rates[i], Highest<T>(), Infinite<T>());
        },
        out->base<T>());
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_FOR_TYPES(Name("RandomPoisson")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("rate"),
                          "dtype", RandomPoissonOp, half, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("RandomPoissonV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("rate"),
                          "dtype", RandomPoissonOp, half, float, double,
                          int32_t, int64_t);

template <typename T>
class StatelessRandomPoissonOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& lam = ctx->input(2);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateForParameters(this, ctx, lam.shape(), &out));
    const std::vector<double> rates = Rates(lam);
    constexpr int64_t kCost = 250;
    FillSamples(
        ctx, StatelessGenerator(ctx->input(1)),
        static_cast<int64_t>(rates.size()), out->NumElements(), kCost,
        [&rates](int64_t i) {
          return PoissonSampler(rates[i], Highest<T>(), Infinite<T>());
        },
        out->base<T>());
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomPoisson")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed")
                              .HostMemory("lam"),
                          "dtype", StatelessRandomPoissonOp, half, float,
                          double, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
