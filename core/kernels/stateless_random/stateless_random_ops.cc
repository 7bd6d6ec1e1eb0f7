// SPDX-License-Identifier: Apache-2.0
// StatelessRandomUniform and the like: each call makes the generator from the
// seed, or from the state that it is given.

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/random_fill.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"

namespace tensorwright {
namespace {

using random::PhiloxRandom;

uint64_t SeedWord(const Tensor& seed, int i) {
  // 32-bit seeds are sign-extended, as in TensorFlow.
  switch (seed.dtype()) {
    case DT_INT32:
      return static_cast<uint64_t>(int64_t{seed.base<int32_t>()[i]});
    case DT_UINT32:
      return seed.base<uint32_t>()[i];
    case DT_UINT64:
      return seed.base<uint64_t>()[i];
    default:
      return static_cast<uint64_t>(seed.base<int64_t>()[i]);
  }
}

// Returns the generator that a seed of two words names.  The seed is mixed
// once, so that seeds which differ in one bit give streams that differ in all
// bits: it is the counter of a first generator with a fixed key (TensorFlow's
// arbitrary choice of two words), which draws the key, and the upper half of
// the counter, of the returned generator.
PhiloxRandom GeneratorOf(const Tensor& seed) {
  PhiloxRandom::Key key;
  key[0] = 0x3ec8f720;
  key[1] = 0x02461e29;
  PhiloxRandom::ResultType counter;
  for (int i = 0; i < 2; ++i) {
    const uint64_t word = SeedWord(seed, i);
    counter[2 * i] = static_cast<uint32_t>(word);
    counter[2 * i + 1] = static_cast<uint32_t>(word >> 32);
  }
  const PhiloxRandom::ResultType mixed = PhiloxRandom(counter, key)();
  key[0] = mixed[0];
  key[1] = mixed[1];
  counter[0] = counter[1] = 0;
  counter[2] = mixed[2];
  counter[3] = mixed[3];
  return PhiloxRandom(counter, key);
}

// Checks the seed, input 1, and allocates the output in the shape that input 0
// says.
Status AllocateStateless(OpKernel* kernel, OpKernelContext* ctx, Tensor** out) {
  const Tensor& seed = ctx->input(1);
  if (seed.dims() != 1 || seed.dim_size(0) != 2) {
    return errors::InvalidArgument("seed must have shape [2], not ",
                                   seed.shape().DebugString());
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(kernel->MakeShape(ctx->input(0), &shape));
  return ctx->allocate_output(0, shape, out);
}

template <typename Distribution>
class StatelessRandomOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    using T = typename Distribution::ResultElementType;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateStateless(this, ctx, &out));
    FillRandom(ctx, GeneratorOf(ctx->input(1)), Distribution(), out->base<T>(),
               out->NumElements());
  }
};

template <typename T>
using UniformOp =
    StatelessRandomOp<random::UniformDistribution<BufferedPhilox, T>>;
template <typename T>
using NormalOp =
    StatelessRandomOp<random::NormalDistribution<BufferedPhilox, T>>;
template <typename T>
using TruncatedOp = StatelessRandomOp<random::TruncatedNormalDistribution<
    random::SingleSampleAdapter<PhiloxRandom>, T>>;
template <typename T>
using FullIntOp =
    StatelessRandomOp<random::UniformFullIntDistribution<BufferedPhilox, T>>;

REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomUniform")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed"),
                          "dtype", UniformOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomNormal")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed"),
                          "dtype", NormalOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("StatelessTruncatedNormal")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed"),
                          "dtype", TruncatedOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomUniformFullInt")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed"),
                          "dtype", FullIntOp, int32_t, int64_t, uint32_t,
                          uint64_t);

template <typename T>
class UniformIntOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 2; i < 4; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).dims() == 0,
                  errors::InvalidArgument(i == 2 ? "minval" : "maxval",
                                          " must be 0-D, got shape ",
                                          ctx->input(i).shape().DebugString()));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, AllocateStateless(this, ctx, &out));
    const T lo = *ctx->input(2).base<T>();
    const T hi = *ctx->input(3).base<T>();
    OP_REQUIRES(
        ctx, lo < hi,
        errors::InvalidArgument("Need minval < maxval, got ", lo, " >= ", hi));
    FillRandom(ctx, GeneratorOf(ctx->input(1)),
               random::UniformDistribution<BufferedPhilox, T>(lo, hi),
               out->base<T>(), out->NumElements());
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomUniformInt")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("seed")
                              .HostMemory("minval")
                              .HostMemory("maxval"),
                          "dtype", UniformIntOp, int32_t, int64_t);

// ---- Ops that take a place in a stream: a key [1], a counter [2] or longer,
// and an algorithm.

// kAutoSelect chooses Philox on every device.
constexpr int32_t kPhilox = 1, kAutoSelect = 3;

Status KeyedGenerator(OpKernel* kernel, OpKernelContext* ctx, int first,
                      PhiloxRandom* gen) {
  const int32_t alg = *ctx->input(first + 2).base<int32_t>();
  if (alg != kPhilox && alg != kAutoSelect) {
    return errors::InvalidArgument(
        kernel->type_string(),
        ": alg must be 1 (Philox) or 3 (the device's), got ", alg);
  }
  const Tensor& counter = ctx->input(first + 1);
  if (counter.NumElements() < 2) {
    return errors::InvalidArgument(
        kernel->type_string(),
        ": counter must have 2 elements at least, got shape ",
        counter.shape().DebugString());
  }
  const uint64_t key = ctx->input(first).base<uint64_t>()[0];
  PhiloxRandom::Key k;
  k[0] = static_cast<uint32_t>(key);
  k[1] = static_cast<uint32_t>(key >> 32);
  PhiloxRandom::ResultType c;
  for (int i = 0; i < 2; ++i) {
    const uint64_t half = counter.base<uint64_t>()[i];
    c[2 * i] = static_cast<uint32_t>(half);
    c[2 * i + 1] = static_cast<uint32_t>(half >> 32);
  }
  *gen = PhiloxRandom(c, k);
  return OkStatus();
}

// Allocates output 0 in the shape that input 0 says.
Status AllocateKeyed(OpKernel* kernel, OpKernelContext* ctx, Tensor** out) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(kernel->MakeShape(ctx->input(0), &shape));
  return ctx->allocate_output(0, shape, out);
}

template <typename Distribution>
class KeyedRandomOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    using T = typename Distribution::ResultElementType;
    PhiloxRandom gen;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, KeyedGenerator(this, ctx, 1, &gen));
    OP_REQUIRES_OK(ctx, AllocateKeyed(this, ctx, &out));
    FillRandom(ctx, gen, Distribution(), out->base<T>(), out->NumElements());
  }
};

template <typename T>
using KeyedUniformOp =
    KeyedRandomOp<random::UniformDistribution<BufferedPhilox, T>>;
template <typename T>
using KeyedNormalOp =
    KeyedRandomOp<random::NormalDistribution<BufferedPhilox, T>>;
template <typename T>
using KeyedTruncatedOp = KeyedRandomOp<random::TruncatedNormalDistribution<
    random::SingleSampleAdapter<PhiloxRandom>, T>>;
template <typename T>
using KeyedFullIntOp =
    KeyedRandomOp<random::UniformFullIntDistribution<BufferedPhilox, T>>;

template <typename T>
class KeyedUniformIntOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    PhiloxRandom gen;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, KeyedGenerator(this, ctx, 1, &gen));
    const T lo = *ctx->input(4).base<T>();
    const T hi = *ctx->input(5).base<T>();
    OP_REQUIRES(
        ctx, lo < hi,
        errors::InvalidArgument("Need minval < maxval, got ", lo, " >= ", hi));
    OP_REQUIRES_OK(ctx, AllocateKeyed(this, ctx, &out));
    FillRandom(ctx, gen, random::UniformDistribution<BufferedPhilox, T>(lo, hi),
               out->base<T>(), out->NumElements());
  }
};

#define TW_REGISTER(NAME, OP, ...)                     \
  REGISTER_KERNEL_FOR_TYPES(Name(NAME)                 \
                                .Device(DEVICE_CPU)    \
                                .HostMemory("shape")   \
                                .HostMemory("key")     \
                                .HostMemory("counter") \
                                .HostMemory("alg"),    \
                            "dtype", OP, __VA_ARGS__)
// A macro, because each kernel is listed with the source line that registers
// it.
TW_REGISTER("StatelessRandomUniformV2", KeyedUniformOp, half, bfloat16, float,
            double);
TW_REGISTER("StatelessRandomNormalV2", KeyedNormalOp, half, bfloat16, float,
            double);
TW_REGISTER("StatelessTruncatedNormalV2", KeyedTruncatedOp, half, bfloat16,
            float, double);
TW_REGISTER("StatelessRandomUniformFullIntV2", KeyedFullIntOp, int32_t, int64_t,
            uint32_t, uint64_t);
#undef TW_REGISTER
REGISTER_KERNEL_FOR_TYPES(Name("StatelessRandomUniformIntV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("shape")
                              .HostMemory("key")
                              .HostMemory("counter")
                              .HostMemory("alg")
                              .HostMemory("minval")
                              .HostMemory("maxval"),
                          "dtype", KeyedUniformIntOp, int32_t, int64_t,
                          uint32_t, uint64_t);

// seed -> key [1], counter [2] and, for the op with the longer name, alg [].
class GetKeyCounterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const PhiloxRandom gen = GeneratorOf(ctx->input(0));
    Tensor *key = nullptr, *counter = nullptr, *alg = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({1}), &key));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({2}), &counter));
    const auto word = [](uint32_t low, uint32_t high) {
      return uint64_t{high} << 32 | low;
    };
    key->base<uint64_t>()[0] = word(gen.key()[0], gen.key()[1]);
    for (int i = 0; i < 2; ++i) {
      counter->base<uint64_t>()[i] =
          word(gen.counter()[2 * i], gen.counter()[2 * i + 1]);
    }
    if (ctx->num_outputs() < 3) return;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({}), &alg));
    *alg->base<int32_t>() = kPhilox;
  }
};
REGISTER_KERNEL_BUILDER(Name("StatelessRandomGetKeyCounter")
                            .Device(DEVICE_CPU)
                            .HostMemory("seed")
                            .HostMemory("key")
                            .HostMemory("counter"),
                        GetKeyCounterOp);
REGISTER_KERNEL_BUILDER(Name("StatelessRandomGetKeyCounterAlg")
                            .Device(DEVICE_CPU)
                            .HostMemory("seed")
                            .HostMemory("key")
                            .HostMemory("counter")
                            .HostMemory("alg"),
                        GetKeyCounterOp);

class GetAlgOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* alg = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &alg));
    *alg->base<int32_t>() = kPhilox;
  }
};
REGISTER_KERNEL_BUILDER(
    Name("StatelessRandomGetAlg").Device(DEVICE_CPU).HostMemory("alg"),
    GetAlgOp);

}  // namespace
}  // namespace tensorwright
