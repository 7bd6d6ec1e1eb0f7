// SPDX-License-Identifier: Apache-2.0
// RandomUniform, RandomUniformInt, RandomStandardNormal and TruncatedNormal on
// a GPU: the host's side.

#include "core/kernels/random/random_op_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/random_fill.h"
#include "core/lib/core/errors.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

template <typename T, GpuDistribution kDistribution>
class RandomOnGpu : public OpKernel {
 public:
  explicit RandomOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(0), &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    const int64_t size = out->NumElements();
    const random::PhiloxRandom place =
        generator_.ReserveRandomOutputs(size, kReservedSamplesPerOutput);
    if (size == 0) return;
    OP_REQUIRES_OK(ctx, GpuFillRandom<T>(GpuStream(ctx), kDistribution, place,
                                         size, out->data()));
  }

 private:
  GuardedPhiloxRandom generator_;
};
template <typename T>
using UniformOnGpu = RandomOnGpu<T, GpuDistribution::kUniform>;
template <typename T>
using NormalOnGpu = RandomOnGpu<T, GpuDistribution::kNormal>;
template <typename T>
using TruncatedNormalOnGpu = RandomOnGpu<T, GpuDistribution::kTruncatedNormal>;

REGISTER_KERNEL_FOR_TYPES(
    Name("RandomUniform").Device(DEVICE_GPU).HostMemory("shape"), "dtype",
    UniformOnGpu, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("RandomStandardNormal").Device(DEVICE_GPU).HostMemory("shape"),
    "dtype", NormalOnGpu, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("TruncatedNormal").Device(DEVICE_GPU).HostMemory("shape"), "dtype",
    TruncatedNormalOnGpu, Eigen::half, Eigen::bfloat16, float, double);

template <typename T>
class RandomIntOnGpu final : public OpKernel {
 public:
  explicit RandomIntOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    for (int i = 1; i < 3; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).dims() == 0,
                  errors::InvalidArgument(i == 1 ? "minval" : "maxval",
                                          " must be 0-D, got shape ",
                                          ctx->input(i).shape().DebugString()));
    }
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(0), &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    const int64_t size = out->NumElements();
    if (size == 0) return;
    const T lo = *ctx->input(1).base<T>();
    const T hi = *ctx->input(2).base<T>();
    OP_REQUIRES(
        ctx, lo < hi,
        errors::InvalidArgument("Need minval < maxval, got ", lo, " >= ", hi));
    const random::PhiloxRandom place =
        generator_.ReserveRandomOutputs(size, kReservedSamplesPerOutput);
    OP_REQUIRES_OK(ctx, GpuFillRandomInt<T>(GpuStream(ctx), place, lo, hi, size,
                                            out->data()));
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_FOR_TYPES(Name("RandomUniformInt")
                              .Device(DEVICE_GPU)
                              .HostMemory("shape")
                              .HostMemory("minval")
                              .HostMemory("maxval"),
                          "Tout", RandomIntOnGpu, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
