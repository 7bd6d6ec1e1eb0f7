// SPDX-License-Identifier: Apache-2.0
// QuantizedBiasAdd: adds a bias to each channel of codes.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

TW_WIDE_LOOP int32_t WrappedSum(int32_t x, int32_t y) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) +
                              static_cast<uint32_t>(y));
}

// y[i] = x[i] in the range of `to`, plus bias[i].
template <typename T>
struct AddLoop {
  TW_WIDE_LOOP static void Run(MinFirstDequantizer<T> from,
                               MinFirstQuantizer<qint32> to, const T* x,
                               const int32_t* bias, qint32* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i].value = WrappedSum(to(from(x[i])).value, bias[i]);
    }
  }
};

// Returns the codes of the bias in the range of the sums, repeated until the
// loops over them are long.
template <typename T>
std::vector<int32_t> RepeatedBias(const Tensor& bias, float min, float max,
                                  float max_sum) {
  constexpr int64_t kLong = 256;
  const MinFirstDequantizer<T> from(min, max);
  const MinFirstQuantizer<qint32> to(-max_sum, max_sum);
  // 0 + 0 is 0.
  const int32_t zero = RealToCode<qint32>(0.0f, -max_sum, max_sum).value;
  const int64_t n = bias.NumElements();
  std::vector<int32_t> codes(n * std::max<int64_t>(1, kLong / n));
  for (int64_t i = 0; i < n; ++i) {
    codes[i] = WrappedSum(to(from(bias.base<T>()[i])).value, zero);
  }
  for (size_t i = n; i < codes.size(); ++i) codes[i] = codes[i - n];
  return codes;
}

}  // namespace

template <typename T>
class QuantizedBiasAddOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& bias = ctx->input(1);
    float min = 0, max = 0, min_bias = 0, max_bias = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "min_input", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 3, "max_input", &max));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 4, "min_bias", &min_bias));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 5, "max_bias", &max_bias));
    OP_REQUIRES(ctx, input.dims() >= 2,
                errors::InvalidArgument(
                    "QuantizedBiasAdd: input must be at least 2D, got shape ",
                    input.shape().DebugString()));
    OP_REQUIRES(
        ctx,
        bias.dims() == 1 &&
            bias.dim_size(0) == input.dim_size(input.dims() - 1),
        errors::InvalidArgument("QuantizedBiasAdd: bias must be a vector with "
                                "an element for each channel of input, got "
                                "shapes ",
                                bias.shape().DebugString(), " and ",
                                input.shape().DebugString()));
    // The range is symmetric, and so wide that 17 bits are free above the codes
    // of both.
    const float max_sum =
        std::max(max, std::max(-min, std::max(max_bias, -min_bias))) *
        (1 << 17);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    if (out->NumElements() > 0) {
      Add(ctx, input.base<T>(), out->NumElements(), min, max, max_sum,
          RepeatedBias<T>(bias, min_bias, max_bias, max_sum),
          out->base<qint32>());
    }
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, -max_sum));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, max_sum));
  }

 private:
  static void Add(OpKernelContext* ctx, const T* x, int64_t n, float min,
                  float max, float max_sum, const std::vector<int32_t>& bias,
                  qint32* y) {
    const MinFirstDequantizer<T> from(min, max);
    const MinFirstQuantizer<qint32> to(-max_sum, max_sum);
    const int64_t row = static_cast<int64_t>(bias.size());
    ParallelFor(ctx, (n + row - 1) / row, 3 * row,
                [&](int64_t begin, int64_t end) {
                  for (int64_t at = begin * row; at < std::min(end * row, n);
                       at += row) {
                    RunWide<AddLoop<T>>(from, to, x + at, bias.data(), y + at,
                                        std::min(row, n - at));
                  }
                });
  }
};

REGISTER_KERNEL_BUILDER(Name("QuantizedBiasAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("T1")
                            .TypeConstraint<quint8>("T2")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedBiasAddOp<quint8>);
REGISTER_KERNEL_BUILDER(Name("QuantizedBiasAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint8>("T1")
                            .TypeConstraint<qint8>("T2")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedBiasAddOp<qint8>);

}  // namespace tensorwright
