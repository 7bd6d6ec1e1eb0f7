// SPDX-License-Identifier: Apache-2.0
// RandomUniform, RandomUniformInt, RandomStandardNormal, TruncatedNormal.
//
// Values are TensorFlow's for equal seeds.

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/random_fill.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

using random::PhiloxRandom;

// Reserves a stretch of the generator's stream for an output of `size` numbers.
PhiloxRandom Reserve(GuardedPhiloxRandom* generator, int64_t size) {
  return generator->ReserveRandomOutputs(size, kReservedSamplesPerOutput);
}

// Allocates the output in the shape that input 0 says.
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
    const int64_t size = out->NumElements();
    FillRandom(ctx, Reserve(&generator_, size), Distribution(), out->base<T>(),
               size);
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
    const int64_t size = out->NumElements();
    FillRandom(ctx, Reserve(&generator_, size),
               random::UniformDistribution<BufferedPhilox, T>(lo, hi),
               out->base<T>(), size);
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
