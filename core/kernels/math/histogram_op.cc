// SPDX-License-Identifier: Apache-2.0
// The kernel of HistogramFixedWidth.

#include <algorithm>
#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// values: any shape, value_range: [2], nbins: a scalar -> how many values are
// in each bin, [nbins].
template <typename T>
class HistogramFixedWidthOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& values = ctx->input(0);
    const Tensor& range = ctx->input(1);
    const Tensor& nbins = ctx->input(2);
    OP_REQUIRES(ctx, range.dims() == 1 && range.NumElements() == 2,
                errors::InvalidArgument(
                    "HistogramFixedWidth: value_range must be a vector of two, "
                    "got shape ",
                    range.shape().DebugString()));
    const T low = range.base<T>()[0], high = range.base<T>()[1];
    OP_REQUIRES(ctx, low < high,
                errors::InvalidArgument(
                    "HistogramFixedWidth: value_range must be [low, high] with "
                    "low < high, got [",
                    low, ", ", high, "]"));
    OP_REQUIRES(ctx, nbins.dims() == 0,
                errors::InvalidArgument(
                    "HistogramFixedWidth: nbins must be a scalar, got shape ",
                    nbins.shape().DebugString()));
    const int64_t bins = nbins.scalar_value<int32>();
    OP_REQUIRES(ctx, bins > 0,
                errors::InvalidArgument(
                    "HistogramFixedWidth: nbins must be > 0, got ", bins));
    Tensor* counts = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({bins}), &counts));
    if (counts->dtype() == DT_INT32) {
      Count(values, low, high, counts->base<int32>(), bins);
    } else {
      Count(values, low, high, counts->base<int64_t>(), bins);
    }
  }

 private:
  // Counts values below the range and NaN in the first bin, and values above it
  // in the last.
  template <typename N>
  static void Count(const Tensor& values, T low, T high, N* counts,
                    int64_t bins) {
    std::fill_n(counts, bins, N(0));
    const T* const x = values.base<T>();
    const double least = static_cast<double>(low);
    const double width =
        (static_cast<double>(high) - least) / static_cast<double>(bins);
    for (int64_t i = 0; i < values.NumElements(); ++i) {
      const double place = (static_cast<double>(x[i]) - least) / width;
      const double most = static_cast<double>(bins - 1);
      ++counts[place > 0 ? static_cast<int64_t>(std::min(place, most)) : 0];
    }
  }
};

REGISTER_KERNEL_FOR_TYPES(
    Name("HistogramFixedWidth").Device(DEVICE_CPU).HostMemory("nbins"), "T",
    HistogramFixedWidthOp, int32, int64_t, float, double);

}  // namespace tensorwright
