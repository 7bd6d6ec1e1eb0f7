// SPDX-License-Identifier: Apache-2.0
// The kernel of RaggedRange.

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/range_size.h"

namespace tensorwright {
namespace {

// x + y; integers wrap, as only the number after a row's last may.
template <typename T>
T Next(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
  } else {
    return x + y;
  }
}

}  // namespace

template <typename T>
class RaggedRangeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    int64_t rows = -1;
    for (int i = 0; i < 3; ++i) {
      const Tensor& input = ctx->input(i);
      OP_REQUIRES(
          ctx, input.dims() <= 1,
          errors::InvalidArgument("RaggedRange: ", kNames[i],
                                  " must be a scalar or a vector, got shape ",
                                  input.shape().DebugString()));
      if (input.dims() == 0) continue;
      OP_REQUIRES(ctx, rows < 0 || rows == input.NumElements(),
                  errors::InvalidArgument(
                      "RaggedRange: starts, limits and deltas must have one "
                      "size, got ",
                      rows, " and ", input.NumElements()));
      rows = input.NumElements();
    }
    if (rows < 0) rows = 1;
    std::vector<int64_t> sizes(rows);
    int64_t total = 0;
    const int64_t most = output_type(0) == DT_INT32
                             ? std::numeric_limits<int32_t>::max()
                             : std::numeric_limits<int64_t>::max();
    for (int64_t r = 0; r < rows; ++r) {
      OP_REQUIRES_OK(ctx, SizeOf(ctx, r, &sizes[r]));
      OP_REQUIRES(
          ctx, sizes[r] <= most - total,
          errors::InvalidArgument(
              "RaggedRange: all rows together must have at most ", most,
              " values, which ", output_type(0) == DT_INT32 ? "int32" : "int64",
              " splits count"));
      total += sizes[r];
    }
    Tensor *splits = nullptr, *values = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({rows + 1}), &splits));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({total}), &values));
    if (splits->dtype() == DT_INT32) {
      PutSplits(sizes, splits->base<int32_t>());
    } else {
      PutSplits(sizes, splits->base<int64_t>());
    }
    T* to = values->base<T>();
    for (int64_t r = 0; r < rows; ++r) {
      T value = At(ctx, 0, r);
      const T delta = At(ctx, 2, r);
      for (int64_t i = 0; i < sizes[r]; ++i) {
        *to++ = value;
        value = Next(value, delta);
      }
    }
  }

 private:
  static constexpr const char* kNames[] = {"starts", "limits", "deltas"};

  static T At(OpKernelContext* ctx, int input, int64_t row) {
    const Tensor& t = ctx->input(input);
    return t.base<T>()[t.dims() == 0 ? 0 : row];
  }

  // A limit on the wrong side of the start gives an empty row.
  static Status SizeOf(OpKernelContext* ctx, int64_t row, int64_t* size) {
    const T start = At(ctx, 0, row), limit = At(ctx, 1, row);
    const T delta = At(ctx, 2, row);
    if (delta == T(0)) {
      return errors::InvalidArgument(
          "RaggedRange: Requires delta != 0, got 0 in row ", row);
    }
    *size = 0;
    // Neither is so of a NaN, which RangeSize refuses.
    if ((delta > T(0) && start >= limit) || (delta < T(0) && start <= limit)) {
      return OkStatus();
    }
    const StatusOr<int64_t> count = RangeSize<T>(start, limit, delta);
    if (!count.ok()) {
      return errors::InvalidArgument("RaggedRange: row ", row, ": ",
                                     count.status().message());
    }
    *size = *count;
    return OkStatus();
  }

  template <typename Tsplits>
  static void PutSplits(const std::vector<int64_t>& sizes, Tsplits* splits) {
    *splits = 0;
    for (const int64_t size : sizes) {
      splits[1] = static_cast<Tsplits>(splits[0] + size);
      ++splits;
    }
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("RaggedRange").Device(DEVICE_CPU), "T",
                          RaggedRangeOp, float, double, int32, int64_t);

}  // namespace tensorwright
