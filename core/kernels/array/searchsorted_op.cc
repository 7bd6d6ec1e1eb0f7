// SPDX-License-Identifier: Apache-2.0
// LowerBound and UpperBound: the positions where values would go in sorted
// rows.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// counts[i] = the number of elements of a sorted row that are less than
// values[i] (kUpper: no greater).  It halves the row; the halves' sizes do not
// depend on the values, so several searches go in step, without a branch, and
// each waits for memory while the others do.
template <bool kUpper, int kSearches, typename T, typename Index>
void CountBelow(const T* row, int64_t n, const T* values, Index* counts) {
  const auto below = [](T element, T value) -> int64_t {
    return kUpper ? !(value < element) : element < value;
  };
  int64_t first[kSearches] = {};
  for (; n > 1; n -= n / 2) {
    const int64_t half = n / 2;
#pragma GCC unroll 8
    for (int i = 0; i < kSearches; ++i) {
      first[i] += -below(row[first[i] + half - 1], values[i]) & half;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kSearches; ++i) {
    if (n == 1) first[i] += below(row[first[i]], values[i]);
    counts[i] = static_cast<Index>(first[i]);
  }
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
    Index* to = out->base<Index>();
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      // The values are widened once, not at each comparison.
      Tensor rows, wide;
      OP_REQUIRES_OK(ctx, Widen(ctx, sorted, &rows));
      OP_REQUIRES_OK(ctx, Widen(ctx, values, &wide));
      SearchRows(ctx, rows.base<float>(), wide.base<float>(), n, m,
                 values.NumElements(), to);
    } else {
      SearchRows(ctx, sorted.base<T>(), values.base<T>(), n, m,
                 values.NumElements(), to);
    }
  }

  static Status Widen(OpKernelContext* ctx, const Tensor& in, Tensor* out) {
    TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, in.shape(), out));
    const T* from = in.base<T>();
    float* to = out->base<float>();
    ParallelFor(ctx, in.NumElements(), 1, [=](int64_t begin, int64_t end) {
      WidenFloats(from + begin, to + begin, end - begin);
    });
    return OkStatus();
  }

  // rows: [total / m, n], values: [total / m, m].
  template <typename E, typename Index>
  static void SearchRows(OpKernelContext* ctx, const E* rows, const E* values,
                         int64_t n, int64_t m, int64_t total, Index* to) {
    constexpr int kSearches = 8;
    const int64_t cost = 4 * (64 - __builtin_clzll(n | 1));
    ParallelFor(ctx, total, cost, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end;) {
        const E* row = rows + i / m * n;
        const int64_t last = std::min(end, (i / m + 1) * m);
        for (; i + kSearches <= last; i += kSearches) {
          CountBelow<kUpper, kSearches>(row, n, values + i, to + i);
        }
        for (; i < last; ++i) {
          CountBelow<kUpper, 1>(row, n, values + i, to + i);
        }
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
