// SPDX-License-Identifier: Apache-2.0
// Kernels of Cumsum and Cumprod.

#include <algorithm>
#include <functional>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/reduction_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// out[o, i, j] combines x[o, 0..i, j]: without i itself if exclusive, from the
// other end if reverse.  x: [outer, n, inner].
using ScanLoopFn = void (*)(const void* x, void* out, int64_t outer, int64_t n,
                            int64_t inner, bool exclusive, bool reverse);

// Columns side by side: sums[j] is combined with each row's element j.
template <class Reducer>
struct ScanRowLoop {
  template <typename C, typename T>
  TW_WIDE_LOOP static void Run(const T* in, C* sums, T* out, int64_t n,
                               bool exclusive) {
    if (exclusive) {
      TW_VECTORIZE
      for (int64_t j = 0; j < n; ++j) {
        const C sum = sums[j];
        sums[j] = Reducer::Combine(sum, static_cast<C>(in[j]));
        out[j] = static_cast<T>(sum);
      }
    } else {
      TW_VECTORIZE
      for (int64_t j = 0; j < n; ++j) {
        sums[j] = Reducer::Combine(sums[j], static_cast<C>(in[j]));
        out[j] = static_cast<T>(sums[j]);
      }
    }
  }
};

// A strip of columns whose sums stay in the first-level cache.
constexpr int64_t kScanStrip = 1024;

template <template <typename> class R, typename T>
void ScanLoop(const void* x, void* out, int64_t outer, int64_t n, int64_t inner,
              bool exclusive, bool reverse) {
  using C = ComputeType<T>;
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o) {
      const T* in = static_cast<const T*>(x) + o * n;
      T* to = static_cast<T*>(out) + o * n;
      C sum = R<C>::Initial();
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = reverse ? n - 1 - k : k;
        const C next = R<C>::Combine(sum, static_cast<C>(in[at]));
        to[at] = static_cast<T>(exclusive ? sum : next);
        sum = next;
      }
    }
    return;
  }
  C sums[kScanStrip];
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t j = 0; j < inner; j += kScanStrip) {
      const int64_t width = std::min(kScanStrip, inner - j);
      std::fill_n(sums, width, R<C>::Initial());
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = (o * n + (reverse ? n - 1 - k : k)) * inner + j;
        RunWide<ScanRowLoop<R<C>>>(static_cast<const T*>(x) + at, &sums[0],
                                   static_cast<T*>(out) + at, width, exclusive);
      }
    }
  }
}

}  // namespace

class ScanOpBase : public OpKernel {
 public:
  ScanOpBase(OpKernelConstruction* ctx, ScanLoopFn loop)
      : OpKernel(ctx), loop_(loop) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("exclusive", &exclusive_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reverse", &reverse_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& axis_tensor = ctx->input(1);
    OP_REQUIRES(ctx, axis_tensor.dims() == 0,
                errors::InvalidArgument("ScanOp: axis must be a scalar, not ",
                                        axis_tensor.shape().DebugString()));
    const int64_t given = axis_tensor.dtype() == DT_INT32
                              ? axis_tensor.scalar_value<int32>()
                              : axis_tensor.scalar_value<int64_t>();
    const int64_t axis = given < 0 ? given + x.dims() : given;
    OP_REQUIRES(ctx, axis >= 0 && axis < x.dims(),
                errors::InvalidArgument(
                    "ScanOp: Expected scan axis in the range [", -x.dims(),
                    ", ", x.dims(), "), but got ", given));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    if (out->NumElements() == 0) return;
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < x.dims(); ++i) {
      if (i != axis) (i < axis ? outer : inner) *= x.dim_size(i);
    }
    const int64_t n = x.dim_size(axis);
    const int64_t bytes = n * inner * DataTypeSize(x.dtype());
    const auto run = [&](int64_t begin, int64_t end) {
      loop_(x.base<char>() + begin * bytes, out->base<char>() + begin * bytes,
            end - begin, n, inner, exclusive_, reverse_);
    };
    ParallelFor(ctx, outer, 4 * n * inner, run);
  }

 private:
  const ScanLoopFn loop_;
  bool exclusive_ = false;
  bool reverse_ = false;
};

template <typename T>
class CumsumOp final : public ScanOpBase {
 public:
  explicit CumsumOp(OpKernelConstruction* ctx)
      : ScanOpBase(ctx, &ScanLoop<SumReducer, T>) {}
};

template <typename T>
class CumprodOp final : public ScanOpBase {
 public:
  explicit CumprodOp(OpKernelConstruction* ctx)
      : ScanOpBase(ctx, &ScanLoop<ProdReducer, T>) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Cumsum").Device(DEVICE_CPU).HostMemory("axis"),
                          "T", CumsumOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Cumprod").Device(DEVICE_CPU).HostMemory("axis"),
                          "T", CumprodOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);

}  // namespace tensorwright
