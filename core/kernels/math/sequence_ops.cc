// SPDX-License-Identifier: Apache-2.0
// Kernels of Range and LinSpace.

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"
#include "core/util/range_size.h"

namespace tensorwright {
namespace {

Status RequireScalar(OpKernelContext* ctx, int input, const char* name) {
  const TensorShape& shape = ctx->input(input).shape();
  if (shape.dims() == 0) return OkStatus();
  return errors::InvalidArgument(ctx->op_kernel().type_string(), ": ", name,
                                 " must be a scalar, not shape ",
                                 shape.DebugString());
}

// out[i] = start + i * delta; integers wrap.
struct IntegerRangeLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(T start, T delta, T* out, int64_t n) {
    using W = functor::Wrap<T>;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<T>(static_cast<W>(start) +
                              static_cast<W>(i) * static_cast<W>(delta));
    }
  }
};

// The same loop for floats, from element `first` on.
struct FloatRangeLoop {
  template <typename C>
  TW_WIDE_LOOP static void Run(C start, C step, int64_t first, C* out,
                               int64_t n) {
    // A 32-bit counter converts in vectors; n is at most a block.
    const int32_t count = static_cast<int32_t>(n);
    if (first + n <= std::numeric_limits<int32_t>::max()) {
      const int32_t base = static_cast<int32_t>(first);
      TW_VECTORIZE
      for (int32_t i = 0; i < count; ++i) {
        out[i] = start + step * static_cast<C>(base + i);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        out[i] = start + step * static_cast<C>(first + i);
      }
    }
  }
};

// out[i] = start + i * step, each rounded once or twice, because running sums
// would drift.
template <typename T, typename C>
void FillRange(C start, C step, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i += kWidenBlock) {
    const int64_t m = std::min(kWidenBlock, n - i);
    if constexpr (std::is_same_v<C, T>) {
      RunWide<FloatRangeLoop>(start, step, i, out + i, m);
    } else {
      C block[kWidenBlock];
      RunWide<FloatRangeLoop>(start, step, i, block, m);
      NarrowFloats(block, out + i, m);
    }
  }
}

}  // namespace

template <typename T>
class RangeOp final : public OpKernel {
 public:
  explicit RangeOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, RequireScalar(ctx, 0, "start"));
    OP_REQUIRES_OK(ctx, RequireScalar(ctx, 1, "limit"));
    OP_REQUIRES_OK(ctx, RequireScalar(ctx, 2, "delta"));
    const T start = ctx->input(0).scalar_value<T>();
    const T limit = ctx->input(1).scalar_value<T>();
    const T delta = ctx->input(2).scalar_value<T>();
    const StatusOr<int64_t> size = RangeSize<T>(start, limit, delta);
    OP_REQUIRES_OK(ctx, size.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({*size}), &out));
    if constexpr (std::is_integral_v<T>) {
      RunWide<IntegerRangeLoop>(start, delta, out->base<T>(), *size);
    } else {
      using C = ComputeType<T>;
      FillRange(static_cast<C>(start), static_cast<C>(delta), out->base<T>(),
                *size);
    }
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("Range")
                              .Device(DEVICE_CPU)
                              .HostMemory("start")
                              .HostMemory("limit")
                              .HostMemory("delta"),
                          "Tidx", RangeOp, int8, int16, int32, int64_t, uint16,
                          uint32, uint64, Eigen::half, Eigen::bfloat16, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("Range")
                              .Device(DEVICE_GPU)
                              .HostMemory("start")
                              .HostMemory("limit")
                              .HostMemory("delta")
                              .HostMemory("output"),
                          "Tidx", RangeOp, int32, int64_t, float, double);

template <typename T>
class LinSpaceOp final : public OpKernel {
 public:
  explicit LinSpaceOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, RequireScalar(ctx, 0, "start"));
    OP_REQUIRES_OK(ctx, RequireScalar(ctx, 1, "stop"));
    OP_REQUIRES_OK(ctx, RequireScalar(ctx, 2, "num"));
    const int64_t num = IntOf(ctx->input(2));
    OP_REQUIRES(
        ctx, num > 0,
        errors::InvalidArgument("LinSpace: Requires num > 0, got ", num));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({num}), &out));
    using C = ComputeType<T>;
    const C start = static_cast<C>(ctx->input(0).scalar_value<T>());
    const C stop = static_cast<C>(ctx->input(1).scalar_value<T>());
    const C step = num > 1 ? (stop - start) / static_cast<C>(num - 1) : C(0);
    T* to = out->base<T>();
    FillRange(start, step, to, num);
    // The ends are exact, even if the step is infinite.
    to[0] = static_cast<T>(start);
    if (num > 1) to[num - 1] = static_cast<T>(stop);
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("LinSpace")
                              .Device(DEVICE_CPU)
                              .HostMemory("start")
                              .HostMemory("stop")
                              .HostMemory("num"),
                          "T", LinSpaceOp, Eigen::half, Eigen::bfloat16, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("LinSpace")
                              .Device(DEVICE_GPU)
                              .HostMemory("start")
                              .HostMemory("stop")
                              .HostMemory("num")
                              .HostMemory("output"),
                          "T", LinSpaceOp, float, double);

}  // namespace tensorwright
