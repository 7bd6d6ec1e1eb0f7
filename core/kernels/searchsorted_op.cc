// SPDX-License-Identifier: Apache-2.0
// LowerBound and UpperBound: where values would go in sorted rows.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// How many elements of a sorted row are less than a value (kUpper: no greater),
// by halves, without a branch on what is compared.
template <bool kUpper, typename T>
int64_t CountBelow(const T* row, int64_t n, T value) {
  const T* at = row;
  while (n > 0) {
    const int64_t half = (n + 1) / 2;
    const bool below = kUpper ? !(value < at[half - 1]) : at[half - 1] < value;
    at += below ? half : 0;
    n = below ? n - half : half - 1;
  }
  return at - row;
}

template <typename T, bool kUpper>
class BoundOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sorted = ctx->input(0);
    const Tensor& values = ctx->input(1);
    OP_REQUIRES(
        ctx,
        sorted.dims() == 2 && values.dims() == 2 &&
            sorted.dim_size(0) == values.dim_size(0),
        errors::InvalidArgument(
            type_string(),
            ": sorted_inputs and values must be matrices of as many rows, got ",
            sorted.shape().DebugString(), " and ",
            values.shape().DebugString()));
    const int64_t n = sorted.dim_size(1), m = values.dim_size(1);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, values.shape(), &out));
    const bool wide = out->dtype() == DT_INT64;
    OP_REQUIRES(ctx, wide || n <= std::numeric_limits<int32_t>::max(),
                errors::InvalidArgument(type_string(), ": rows of ", n,
                                        " elements need out_type int64"));
    if (wide) {
      Search<int64_t>(ctx, sorted, values, n, m, out);
    } else {
      Search<int32_t>(ctx, sorted, values, n, m, out);
    }
  }

 private:
  template <typename Index>
  static void Search(OpKernelContext* ctx, const Tensor& sorted,
                     const Tensor& values, int64_t n, int64_t m, Tensor* out) {
    const T* rows = sorted.base<T>();
    const T* value = values.base<T>();
    Index* to = out->base<Index>();
    const int64_t cost = 8 * (64 - __builtin_clzll(n | 1));
    ParallelFor(
        ctx, values.NumElements(), cost, [=](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const T* row = rows + i / m * n;
            to[i] = static_cast<Index>(CountBelow<kUpper>(row, n, value[i]));
          }
        });
  }
};

template <typename T>
using LowerBoundOp = BoundOp<T, false>;
template <typename T>
using UpperBoundOp = BoundOp<T, true>;
REGISTER_KERNEL_FOR_TYPES(Name("LowerBound").Device(DEVICE_CPU), "T",
                          LowerBoundOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("UpperBound").Device(DEVICE_CPU), "T",
                          UpperBoundOp, float, double, half, bfloat16, int8_t,
                          int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);

}  // namespace
}  // namespace tensorwright
