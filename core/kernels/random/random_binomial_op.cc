// SPDX-License-Identifier: Apache-2.0
// StatelessRandomBinomial.
//
// If ten successes or more are expected, the algorithm is BTRS of Hoermann,
// "The Generation of Binomial Random Variates" (1993), whose letters these are;
// else the gaps between successes are drawn, as in Devroye, "Non-Uniform Random
// Variate Generation" (1986), X.4.2.  Values are TensorFlow's for equal seeds.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/random_fill.h"
#include "core/kernels/random/stateless_generator.h"
#include "core/util/bcast.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using random::PhiloxRandom;

// Returns log(k!) minus Stirling's formula for it; exact for small k.
double StirlingTail(double k) {
  static constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092,
                                      0.0276779256849983,  0.02079067210376509,
                                      0.0166446911898211,  0.0138761288230707,
                                      0.0118967099458917,  0.0104112652619720,
                                      0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kTails[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

double FromGaps(double count, double p, PhiloxRandom* gen) {
  UniformsOneByOne uniform(gen);
  const double log_failure = std::log1p(-p);
  double at = 0, successes = 0;
  for (;;) {
    at += std::ceil(std::log(uniform()) / log_failure);
    if (at > count) return successes;
    ++successes;
  }
}

double Transformed(double count, double p, PhiloxRandom* gen) {
  UniformsOneByOne uniform(gen);
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double r = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((count + 1) * p);
  for (;;) {
    const double u = uniform() - 0.5;
    double v = uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > count) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound =
        (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
        (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
        (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + StirlingTail(m) +
        StirlingTail(count - m) - StirlingTail(k) - StirlingTail(count - k);
    if (v <= bound) return k;
  }
}

// How far a sample moves the generator for each sample before it if gaps are
// drawn.  Fewer than ten are expected, and more than ten standard deviations
// above that never occur.
constexpr uint64_t kReservedForGaps = 42;

// Draws sample `index`; NaN if the parameters have no distribution.
double Binomial(double count, double p, PhiloxRandom gen, uint64_t index) {
  // Nothing is drawn of no trials, whatever p is, nor where none succeeds.
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (!std::isfinite(count) || std::isnan(p)) return std::nan("");
  const double q = std::min(p, 1 - p);
  const bool few = count * q < 10;
  gen.Skip((few ? kReservedForGaps : uint64_t{kReservedSamplesPerOutput}) *
           index);
  const double drawn =
      few ? FromGaps(count, q, &gen) : Transformed(count, q, &gen);
  return q == p ? drawn : count - drawn;
}

template <typename T>
std::vector<double> Doubles(const Tensor& tensor) {
  const T* const from = tensor.base<T>();
  std::vector<double> values(tensor.NumElements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(from[i]);
  }
  return values;
}

std::vector<double> DoublesOf(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DT_HALF:
      return Doubles<half>(tensor);
    case DT_FLOAT:
      return Doubles<float>(tensor);
    case DT_INT32:
      return Doubles<int32_t>(tensor);
    case DT_INT64:
      return Doubles<int64_t>(tensor);
    default:
      return Doubles<double>(tensor);
  }
}

// Returns, for each element of the result, the place of an operand's element.
std::vector<int64_t> Places(const BCast::Vec& operand, const BCast& bcast) {
  const BCast::Vec& result = bcast.result_shape();
  std::vector<int64_t> places{0};
  for (size_t d = 0; d < result.size(); ++d) {
    std::vector<int64_t> next;
    next.reserve(places.size() * result[d]);
    for (const int64_t place : places) {
      for (int64_t i = 0; i < result[d]; ++i) {
        next.push_back(place * operand[d] + (operand[d] == 1 ? 0 : i));
      }
    }
    places.swap(next);
  }
  return places;
}

}  // namespace

// counts and probs broadcast to one shape, with which the output's shape ends.
template <typename T>
class StatelessRandomBinomialOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& counts = ctx->input(2);
    const Tensor& probs = ctx->input(3);
    const BCast bcast(BCast::FromShape(counts.shape()),
                      BCast::FromShape(probs.shape()));
    OP_REQUIRES(ctx, bcast.IsValid(),
                errors::InvalidArgument(
                    "StatelessRandomBinomial: counts and probs must broadcast, "
                    "got shapes ",
                    counts.shape().DebugString(), " and ",
                    probs.shape().DebugString()));
    TensorShape parameters;
    OP_REQUIRES_OK(
        ctx, TensorShape::BuildTensorShape(bcast.output_shape(), &parameters));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateForParameters(this, ctx, parameters, &out));
    if (out->NumElements() == 0) return;
    Fill(ctx, bcast, parameters.num_elements(), out);
  }

 private:
  static void Fill(OpKernelContext* ctx, const BCast& bcast, int64_t parameters,
                   Tensor* out) {
    const std::vector<double> counts = DoublesOf(ctx->input(2));
    const std::vector<double> probs = DoublesOf(ctx->input(3));
    const std::vector<int64_t> count_at = Places(bcast.x_reshape(), bcast);
    const std::vector<int64_t> prob_at = Places(bcast.y_reshape(), bcast);
    const int64_t per_parameter = out->NumElements() / parameters;
    const PhiloxRandom gen = StatelessGenerator(ctx->input(1));
    T* const to = out->base<T>();
    constexpr int64_t kCost = 300;
    ParallelFor(
        ctx, out->NumElements(), kCost, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t parameter = i / per_parameter;
            const int64_t sample = i - parameter * per_parameter;
            to[sample * parameters + parameter] = static_cast<T>(
                Binomial(counts[count_at[parameter]], probs[prob_at[parameter]],
                         gen, static_cast<uint64_t>(i)));
          }
        });
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomBinomial")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed")
                              .HostMemory("counts")
                              .HostMemory("probs"),
                          "dtype", StatelessRandomBinomialOp, half, float,
                          double, int32_t, int64_t);

}  // namespace tensorwright
