// SPDX-License-Identifier: Apache-2.0
// ParameterizedTruncatedNormal.
//
// Robert, "Simulation of Truncated Normal Variables" (1995): the bounds decide
// which proposal is accepted most often.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"
#include "core/util/guarded_philox_random.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using random::PhiloxRandom;

// After so many rejected proposals there is an error.  No parameters that are
// finite need nearly as many.
constexpr int kMaxIterations = 1000;
// If at least this many deviations on one side of the mean are inside the
// bounds, normal numbers are a good proposal.
constexpr double kNormalInside = 1.3;
// If all batches have the same parameters, and the bounds are scalars, the
// output is cut into batches of this size: as TensorFlow cuts it, which decides
// what is drawn.
constexpr int64_t kSamplesPerBatch = 100;
// Batches of about so many samples together go on in one stream, as all do of
// one thread of TensorFlow's; the next of them begin at places of their own, so
// that they can be drawn at the same time.
constexpr int64_t kSamplesPerStream = 1000;

template <typename Real>
struct Parameters {
  Real mean, stdev, low, high;

  bool valid() const {
    return stdev > 0 && low < high &&
           (std::isfinite(low) || std::isfinite(high));
  }
};

// Fills one batch.  Numbers are drawn as T and computed as Real.
template <typename T, typename Real>
class TruncatedSampler {
  using Uniform = random::UniformDistribution<PhiloxRandom, T>;
  using Normal = random::NormalDistribution<PhiloxRandom, T>;

 public:
  TruncatedSampler(Parameters<Real> p, T* out, int64_t size)
      : out_(out), end_(out + size) {
    // An interval that is open on the left, or lies left of the mean, is
    // mirrored.
    if ((std::isinf(p.low) && p.low < 0) || p.high < p.mean) {
      std::swap(p.low, p.high);
      p.stdev = -p.stdev;
    }
    mean_ = p.mean;
    stdev_ = p.stdev;
    low_ = (p.low - p.mean) / p.stdev;
    high_ = (p.high - p.mean) / p.stdev;
  }

  // False if no proposal is accepted.
  bool Fill(PhiloxRandom* gen) {
    constexpr auto kInside = static_cast<Real>(kNormalInside);
    const Real root = std::sqrt(low_ * low_ + 4);
    const Real cutoff =
        2 * std::exp(Real(0.5) + low_ * (low_ - root) / 4) / (low_ + root);
    if ((low_ < -kInside && high_ >= 0) || (high_ > kInside && low_ <= 0)) {
      FromNormal(gen);
    } else if (high_ - low_ < cutoff) {
      FromUniform(gen);
    } else {
      FromExponential(gen);
    }
    return out_ == end_;
  }

 private:
  // Whether there is room for more, and hope for it.
  bool Propose(Real z, bool accepted) {
    if (!accepted) return ++rejected_ <= kMaxIterations;
    *out_++ = static_cast<T>(z * stdev_ + mean_);
    rejected_ = 0;
    return out_ < end_;
  }

  void FromNormal(PhiloxRandom* gen) {
    Normal normal;
    for (;;) {
      const auto block = normal(gen);
      for (int i = 0; i < block.size(); ++i) {
        const Real z = static_cast<Real>(block[i]);
        const bool inside = z >= low_ && z <= high_;
        if (!Propose(z, inside)) return;
      }
    }
  }

  void FromUniform(PhiloxRandom* gen) {
    Uniform uniform;
    const Real nearest = low_ < 0 ? Real(0) : low_ * low_;
    for (;;) {
      const auto place = uniform(gen);
      const auto u = uniform(gen);
      for (int i = 0; i < place.size(); ++i) {
        const Real z = static_cast<Real>(place[i]) * (high_ - low_) + low_;
        const Real density = std::exp((nearest - z * z) / 2);
        if (!Propose(z, static_cast<Real>(u[i]) <= density)) return;
      }
    }
  }

  // Proposes from low on, exponentially, with the rate that is accepted most
  // often.
  void FromExponential(PhiloxRandom* gen) {
    Uniform uniform;
    const Real alpha = (low_ + std::sqrt(low_ * low_ + 4)) / 2;
    for (;;) {
      const auto block = uniform(gen);
      for (int i = 0; i + 1 < block.size(); i += 2) {
        const Real z = -std::log(static_cast<Real>(block[i])) / alpha + low_;
        const Real x = low_ < alpha ? alpha - z : low_ - alpha;
        const Real density = std::exp(-x * x / 2);
        const bool accepted =
            static_cast<Real>(block[i + 1]) <= density && z < high_;
        if (!Propose(z, accepted)) return;
      }
    }
  }

  T* out_;
  T* const end_;
  Real mean_, stdev_, low_, high_;
  int rejected_ = 0;
};

template <typename T>
class ParameterizedTruncatedNormalOp final : public OpKernel {
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

 public:
  explicit ParameterizedTruncatedNormalOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(0), &shape));
    OP_REQUIRES(
        ctx, shape.dims() > 0,
        errors::InvalidArgument("shape must have a first size, the number of "
                                "batches, got shape ",
                                shape.DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    bool one_for_all = true;
    static constexpr const char* kNames[] = {"means", "stdevs", "minvals",
                                             "maxvals"};
    for (int i = 1; i < 5; ++i) {
      const Tensor& parameter = ctx->input(i);
      const int64_t n = parameter.NumElements();
      OP_REQUIRES(
          ctx, parameter.dims() <= 1 && (n == 1 || n == shape.dim_size(0)),
          errors::InvalidArgument(kNames[i - 1], " must be a scalar, [1] or [",
                                  shape.dim_size(0), "], got shape ",
                                  parameter.shape().DebugString()));
      const bool bound = i > 2;
      one_for_all = one_for_all && (bound ? parameter.dims() == 0 : n == 1);
    }
    const int64_t size = out->NumElements();
    if (size == 0) return;
    const int64_t per_batch =
        one_for_all ? kSamplesPerBatch : size / shape.dim_size(0);
    const int64_t batches = (size + per_batch - 1) / per_batch;
    for (int64_t b = 0; b < (one_for_all ? 1 : batches); ++b) {
      OP_REQUIRES(ctx, ParametersOf(ctx, b).valid(),
                  errors::InvalidArgument(
                      "Invalid parameters of batch ", b,
                      ": stdev must be positive, minval less than maxval, and "
                      "one of these finite"));
    }
    OP_REQUIRES_OK(ctx, Fill(ctx, batches, per_batch, out));
  }

 private:
  static Parameters<Real> ParametersOf(OpKernelContext* ctx, int64_t batch) {
    Real of[4];
    for (int i = 0; i < 4; ++i) {
      const Tensor& parameter = ctx->input(i + 1);
      of[i] = static_cast<Real>(
          parameter.base<T>()[parameter.NumElements() == 1 ? 0 : batch]);
    }
    return {of[0], of[1], of[2], of[3]};
  }

  Status Fill(OpKernelContext* ctx, int64_t batches, int64_t per_batch,
              Tensor* out) {
    const int64_t size = out->NumElements();
    T* const data = out->base<T>();
    // Returns the most calls of the generator that so many batches may make.
    const auto calls = [per_batch](int64_t count) {
      return count * 2 * kMaxIterations * (per_batch + 3) / 4;
    };
    const PhiloxRandom gen = generator_.ReserveSamples128(calls(batches));
    const int64_t length = std::max<int64_t>(1, kSamplesPerStream / per_batch);
    const int64_t streams = (batches + length - 1) / length;
    std::atomic<int64_t> failed{-1};
    constexpr int64_t kCost = 100;
    const auto draw = [&](int64_t stream) {
      const int64_t begin = stream * length;
      const int64_t end = std::min(begin + length, batches);
      PhiloxRandom own = gen;
      own.Skip(calls(begin));
      for (int64_t b = begin; b < end; ++b) {
        const int64_t first = b * per_batch;
        TruncatedSampler<T, Real> sampler(ParametersOf(ctx, b), data + first,
                                          std::min(per_batch, size - first));
        if (!sampler.Fill(&own)) failed = b;
      }
    };
    ParallelFor(ctx, streams, kCost * per_batch * length,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) draw(i);
                });
    if (failed < 0) return OkStatus();
    return errors::InvalidArgument(
        "ParameterizedTruncatedNormal: of batch ", failed.load(), " none of ",
        kMaxIterations,
        " proposals in a row is between minvals and maxvals; means and stdevs "
        "must be finite");
  }

  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_FOR_TYPES(Name("ParameterizedTruncatedNormal")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("means")
                              .HostMemory("stdevs")
                              .HostMemory("minvals")
                              .HostMemory("maxvals"),
                          "dtype", ParameterizedTruncatedNormalOp, half,
                          bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
