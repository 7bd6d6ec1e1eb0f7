// SPDX-License-Identifier: Apache-2.0
// Kernels of ArgMax and ArgMin.

#include <algorithm>
#include <functional>
#include <limits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// index[o, i] = where x[o, :, i] is most extreme, the first one of equals; a
// NaN never is.  x: [outer, n, inner].
using ArgLoopFn = void (*)(const void* x, int64_t* index, int64_t outer,
                           int64_t n, int64_t inner);

// The extreme value by chains that vectorise, then the first place that has it.
template <typename T, bool kMax>
int64_t ArgOfRow(const T* x, int64_t n) {
  using C = ComputeType<T>;
  using Limits = std::numeric_limits<C>;
  constexpr int kChains = 16;
  C chains[kChains];
  for (C& chain : chains) chain = kMax ? Limits::lowest() : Limits::max();
  const auto combine = [](C best, C value) {
    return (kMax ? value > best : value < best) ? value : best;
  };
  int64_t i = 0;
  for (; i + kChains <= n; i += kChains) {
    for (int j = 0; j < kChains; ++j) {
      chains[j] = combine(chains[j], static_cast<C>(x[i + j]));
    }
  }
  for (; i < n; ++i) chains[0] = combine(chains[0], static_cast<C>(x[i]));
  for (int j = 1; j < kChains; ++j) chains[0] = combine(chains[0], chains[j]);
  for (i = 0; i < n; ++i) {
    if (static_cast<C>(x[i]) == chains[0]) return i;
  }
  return 0;  // Nothing but NaN, or infinities of the wrong sign.
}

template <typename T, bool kMax>
void ArgLoop(const void* x, int64_t* index, int64_t outer, int64_t n,
             int64_t inner) {
  using C = ComputeType<T>;
  using Limits = std::numeric_limits<C>;
  constexpr C kWorst = kMax ? Limits::lowest() : Limits::max();
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o) {
      index[o] = ArgOfRow<T, kMax>(static_cast<const T*>(x) + o * n, n);
    }
    return;
  }
  constexpr int64_t kStrip = 64;  // Columns side by side, in registers' reach.
  const T* in = static_cast<const T*>(x);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t c = 0; c < inner; c += kStrip) {
      const int64_t width = std::min(kStrip, inner - c);
      C best[kStrip];
      int64_t* at = index + o * inner + c;
      std::fill_n(best, width, kWorst);
      std::fill_n(at, width, 0);
      for (int64_t r = 0; r < n; ++r) {
        const T* row = in + (o * n + r) * inner + c;
        for (int64_t j = 0; j < width; ++j) {
          const C value = static_cast<C>(row[j]);
          if (kMax ? value > best[j] : value < best[j]) {
            best[j] = value;
            at[j] = r;
          }
        }
      }
    }
  }
}

template <typename To>
void Narrow(const Tensor& from, Tensor* to) {
  const auto in = Flat<int64_t>(from);
  const auto out = Flat<To>(to);
  for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<To>(in[i]);
}

int64_t ScalarValue(const Tensor& t) {
  if (t.dtype() == DT_INT16) return t.scalar_value<int16>();
  if (t.dtype() == DT_INT32) return t.scalar_value<int32>();
  return t.scalar_value<int64_t>();
}

}  // namespace

class ArgOpBase : public OpKernel {
 public:
  ArgOpBase(OpKernelConstruction* ctx, ArgLoopFn loop)
      : OpKernel(ctx), loop_(loop) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& dimension = ctx->input(1);
    OP_REQUIRES(ctx, dimension.dims() == 0,
                errors::InvalidArgument(
                    "ArgOp: dim must be a scalar, but received tensor of "
                    "shape: ",
                    dimension.shape().DebugString()));
    const int64_t given = ScalarValue(dimension);
    const int64_t axis = given < 0 ? given + x.dims() : given;
    OP_REQUIRES(ctx, axis >= 0 && axis < x.dims(),
                errors::InvalidArgument(
                    "ArgOp: Expected dimension in the range [", -x.dims(), ", ",
                    x.dims(), "), but got ", given));
    OP_REQUIRES(ctx, x.dim_size(axis) > 0,
                errors::InvalidArgument("ArgOp: Reduction axis ", given,
                                        " is empty in shape ",
                                        x.shape().DebugString()));
    TensorShape shape;
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < x.dims(); ++i) {
      if (i == axis) continue;
      shape.AddDim(x.dim_size(i));
      (i < axis ? outer : inner) *= x.dim_size(i);
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    Tensor index = *output;
    if (output->dtype() != DT_INT64) {
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_INT64, shape, &index));
    }
    const int64_t n = x.dim_size(axis);
    const int64_t row_bytes = n * inner * DataTypeSize(x.dtype());
    const auto run = [&](int64_t begin, int64_t end) {
      loop_(x.base<char>() + begin * row_bytes,
            index.base<int64_t>() + begin * inner, end - begin, n, inner);
    };
    ParallelFor(ctx, outer, n * inner * 2, run);
    if (output->dtype() == DT_INT32) {
      Narrow<int32>(index, output);
    } else if (output->dtype() == DT_INT16) {
      Narrow<int16>(index, output);
    } else if (output->dtype() == DT_UINT16) {
      Narrow<uint16>(index, output);
    }
  }

 private:
  const ArgLoopFn loop_;
};

template <typename T>
class ArgMaxOp final : public ArgOpBase {
 public:
  explicit ArgMaxOp(OpKernelConstruction* ctx)
      : ArgOpBase(ctx, &ArgLoop<T, true>) {}
};

template <typename T>
class ArgMinOp final : public ArgOpBase {
 public:
  explicit ArgMinOp(OpKernelConstruction* ctx)
      : ArgOpBase(ctx, &ArgLoop<T, false>) {}
};

REGISTER_KERNEL_FOR_TYPES(
    Name("ArgMax").Device(DEVICE_CPU).HostMemory("dimension"), "T", ArgMaxOp,
    bool, int8, int16, int32, int64_t, uint8, uint16, uint32, uint64,
    Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ArgMin").Device(DEVICE_CPU).HostMemory("dimension"), "T", ArgMinOp,
    bool, int8, int16, int32, int64_t, uint8, uint16, uint32, uint64,
    Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
