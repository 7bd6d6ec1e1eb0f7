// SPDX-License-Identifier: Apache-2.0
// RandomUniform, RandomUniformInt, RandomStandardNormal, TruncatedNormal.
//
// Values are TensorFlow's for equal seeds, and do not depend on the number of
// threads: the output is cut into groups of what one call of the distribution
// gives, and each group has its own place in the generator's stream.

#include <algorithm>
#include <cstdint>
#include <cstring>

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

// How many calls of the generator an output may need: those that reject samples
// get this many each, the others reserve them to stay in step.
constexpr int kReservedSamplesPerOutput = 256;

// The numbers of a PhiloxRandom, made eight calls at a time: the lanes are
// independent, so the compiler uses vectors.
class BufferedPhilox {
 public:
  static constexpr int kResultElementCount = PhiloxRandom::kResultElementCount;
  using ResultType = PhiloxRandom::ResultType;
  using ResultElementType = PhiloxRandom::ResultElementType;

  explicit BufferedPhilox(const PhiloxRandom& gen) : gen_(gen) {}

  ResultType operator()() {
    if (used_ == kLanes) Refill();
    ResultType sample;
    for (int i = 0; i < kResultElementCount; ++i) sample[i] = words_[i][used_];
    ++used_;
    return sample;
  }

 private:
  static constexpr int kLanes = 8;

  void Refill() {
    uint32_t c[kResultElementCount][kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < kResultElementCount; ++i) {
        c[i][lane] = gen_.counter()[i];
      }
      gen_.Skip(1);
    }
    uint32_t key0 = gen_.key()[0], key1 = gen_.key()[1];
    for (int round = 0; round < 10; ++round) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint64_t p0 = uint64_t{0xD2511F53} * c[0][lane];
        const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2][lane];
        c[0][lane] = static_cast<uint32_t>(p1 >> 32) ^ c[1][lane] ^ key0;
        c[1][lane] = static_cast<uint32_t>(p1);
        c[2][lane] = static_cast<uint32_t>(p0 >> 32) ^ c[3][lane] ^ key1;
        c[3][lane] = static_cast<uint32_t>(p0);
      }
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    std::memcpy(words_, c, sizeof(words_));
    used_ = 0;
  }

  PhiloxRandom gen_;
  uint32_t words_[kResultElementCount][kLanes];
  int used_ = kLanes;
};

// Groups [begin, end) of data[0, size).
template <typename Distribution, typename T>
void FillGroups(PhiloxRandom gen, Distribution dist, int64_t begin, int64_t end,
                int64_t size, T* data) {
  constexpr int kGroup = Distribution::kResultElementCount;
  if constexpr (!Distribution::kVariableSamplesPerOutput) gen.Skip(begin);
  BufferedPhilox buffered(gen);
  for (int64_t group = begin; group < end; ++group) {
    const int64_t offset = group * kGroup;
    typename Distribution::ResultType samples;
    if constexpr (Distribution::kVariableSamplesPerOutput) {
      PhiloxRandom own = gen;
      own.Skip(group * (kGroup * kReservedSamplesPerOutput /
                        PhiloxRandom::kResultElementCount));
      random::SingleSampleAdapter<PhiloxRandom> single(&own);
      samples = dist(&single);
    } else {
      samples = dist(&buffered);
    }
    const int64_t n = std::min<int64_t>(kGroup, size - offset);
    for (int64_t i = 0; i < n; ++i) data[offset + i] = samples[i];
  }
}

template <typename Distribution, typename T>
void FillRandom(OpKernelContext* ctx, GuardedPhiloxRandom* generator,
                Distribution dist, T* data, int64_t size) {
  const PhiloxRandom gen =
      generator->ReserveRandomOutputs(size, kReservedSamplesPerOutput);
  constexpr int kGroup = Distribution::kResultElementCount;
  constexpr int64_t kCost =
      kGroup * Distribution::kElementCost + PhiloxRandom::kElementCost;
  ParallelFor(ctx, (size + kGroup - 1) / kGroup, kCost,
              [=](int64_t begin, int64_t end) {
                FillGroups(gen, dist, begin, end, size, data);
              });
}

// Output of the shape that input 0 says.
Status AllocateRandom(OpKernel* kernel, OpKernelContext* ctx, Tensor** out) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(kernel->MakeShape(ctx->input(0), &shape));
  return ctx->allocate_output(0, shape, out);
}

template <typename Distribution>
class PhiloxRandomOp final : public OpKernel {
 public:
  explicit PhiloxRandomOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    using T = typename Distribution::ResultElementType;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateRandom(this, ctx, &out));
    FillRandom(ctx, &generator_, Distribution(), out->base<T>(),
               out->NumElements());
  }

 private:
  GuardedPhiloxRandom generator_;
};

template <typename T>
using RandomUniformOp =
    PhiloxRandomOp<random::UniformDistribution<BufferedPhilox, T>>;
template <typename T>
using RandomStandardNormalOp =
    PhiloxRandomOp<random::NormalDistribution<BufferedPhilox, T>>;
template <typename T>
using TruncatedNormalOp = PhiloxRandomOp<random::TruncatedNormalDistribution<
    random::SingleSampleAdapter<PhiloxRandom>, T>>;

REGISTER_KERNEL_FOR_TYPES(
    Name("RandomUniform").Device(DEVICE_CPU).HostMemory("shape"), "dtype",
    RandomUniformOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("RandomStandardNormal").Device(DEVICE_CPU).HostMemory("shape"),
    "dtype", RandomStandardNormalOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("TruncatedNormal").Device(DEVICE_CPU).HostMemory("shape"), "dtype",
    TruncatedNormalOp, half, bfloat16, float, double);

template <typename T>
class RandomUniformIntOp final : public OpKernel {
 public:
  explicit RandomUniformIntOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    for (int i = 1; i < 3; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).dims() == 0,
                  errors::InvalidArgument(i == 1 ? "minval" : "maxval",
                                          " must be 0-D, got shape ",
                                          ctx->input(i).shape().DebugString()));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateRandom(this, ctx, &out));
    if (out->NumElements() == 0) return;
    const T lo = *ctx->input(1).base<T>();
    const T hi = *ctx->input(2).base<T>();
    OP_REQUIRES(
        ctx, lo < hi,
        errors::InvalidArgument("Need minval < maxval, got ", lo, " >= ", hi));
    FillRandom(ctx, &generator_,
               random::UniformDistribution<BufferedPhilox, T>(lo, hi),
               out->base<T>(), out->NumElements());
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_FOR_TYPES(Name("RandomUniformInt")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("minval")
                              .HostMemory("maxval"),
                          "Tout", RandomUniformIntOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
