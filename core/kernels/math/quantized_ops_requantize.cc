// SPDX-License-Identifier: Apache-2.0
// RequantizationRange, Requantize and QuantizeDownAndShrinkRange: they narrow
// the wide codes of sums and products.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Finds the real numbers for which the lowest and highest code in `input`
// stand.  The lower is at most 0, because ops that compute with it later
// require that; both are 0 if there are no codes.
void UsedRange(const Tensor& input, float min, float max, float* used_min,
               float* used_max) {
  *used_min = *used_max = 0;
  if (input.NumElements() == 0) return;
  const qint32* codes = input.base<qint32>();
  int32_t low = codes[0].value, high = low;
  for (int64_t i = 0; i < input.NumElements(); ++i) {
    low = std::min(low, codes[i].value);
    high = std::max(high, codes[i].value);
  }
  *used_min = std::min(0.0f, CodeToReal<qint32>(qint32{low}, min, max));
  *used_max = CodeToReal<qint32>(qint32{high}, min, max);
}

// Converts qint32 to quint8 with a multiplication and shifts, in numbers with
// `kShift` bits behind the point.
struct FixedPoint {
  static constexpr int kShift = 16;
  int64_t scale;
  int64_t offset;  // Includes half a code, for rounding.

  FixedPoint(float min, float max, float new_min, float new_max) {
    const float range = max - min;
    const float new_range = new_max - new_min;
    const double one = 1 << kShift;
    // A quotient by a range of no width would be infinite; the scale is 0
    // instead.
    const float per_unit =
        new_range == 0 ? 0.0f : static_cast<float>(255.0 / new_range);
    const float middle = static_cast<float>((min + max) / 2.0);
    scale =
        new_range == 0 ? 0 : SaturateToInt64(255.0 * one * range / new_range);
    const int64_t zero =
        SaturateToInt64(middle * per_unit * static_cast<float>(one));
    const int64_t first =
        new_range == 0
            ? 0
            : SaturateToInt64(std::round(one * (new_min * 255.0) / new_range));
    // Absurdly large numbers are cut off.
    constexpr int64_t kMost = int64_t{1} << 61;
    offset = std::clamp(zero, -kMost, kMost) -
             std::clamp(first, -kMost, kMost) + (int64_t{1} << (kShift - 1));
  }

  bool IsNarrow() const {
    constexpr int64_t kLimit = int64_t{1} << 32;
    return scale > -kLimit && scale < kLimit && offset > -(kLimit << 29) &&
           offset < kLimit << 29;
  }
};

// Right if no product overflows, which IsNarrow says.
struct FixedPointLoop {
  TW_WIDE_LOOP static void Run(FixedPoint f, const qint32* x, quint8* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const int64_t code =
          (((x[i].value * f.scale) >> 32) + f.offset) >> FixedPoint::kShift;
      y[i].value = static_cast<uint8_t>(
          std::min<int64_t>(std::max<int64_t>(code, 0), 255));
    }
  }
};

// Computes in 128 bits, for new ranges much narrower than the old one.
struct WideFixedPointLoop {
  TW_WIDE_LOOP static void Run(FixedPoint f, const qint32* x, quint8* y,
                               int64_t n) {
    using Wide = __int128;
    for (int64_t i = 0; i < n; ++i) {
      const Wide code = (((x[i].value * Wide{f.scale}) >> 32) + f.offset) >>
                        FixedPoint::kShift;
      y[i].value =
          static_cast<uint8_t>(std::min<Wide>(std::max<Wide>(code, 0), 255));
    }
  }
};

struct FloatLoop {
  TW_WIDE_LOOP static void Run(MinFirstDequantizer<qint32> from,
                               MinFirstQuantizer<qint8> to, const qint32* x,
                               qint8* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = to(from(x[i]));
  }
};

void ToRange(OpKernelContext* ctx, float min, float max, float new_min,
             float new_max, Tensor* out) {
  const qint32* x = ctx->input(0).base<qint32>();
  if (out->dtype() == DT_QUINT8) {
    const FixedPoint f(min, max, new_min, new_max);
    quint8* y = out->base<quint8>();
    ParallelFor(ctx, out->NumElements(), 3, [&](int64_t begin, int64_t end) {
      if (f.IsNarrow()) {
        RunWide<FixedPointLoop>(f, x + begin, y + begin, end - begin);
      } else {
        RunWide<WideFixedPointLoop>(f, x + begin, y + begin, end - begin);
      }
    });
  } else {
    const MinFirstDequantizer<qint32> from(min, max);
    const MinFirstQuantizer<qint8> to(new_min, new_max);
    qint8* y = out->base<qint8>();
    ParallelFor(ctx, out->NumElements(), 3, [&](int64_t begin, int64_t end) {
      RunWide<FloatLoop>(from, to, x + begin, y + begin, end - begin);
    });
  }
}

class RequantizationRangeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    float min = 0, max = 0, used_min = 0, used_max = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 1, "input_min", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "input_max", &max));
    UsedRange(ctx->input(0), min, max, &used_min, &used_max);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 0, used_min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, used_max));
  }
};
REGISTER_KERNEL_BUILDER(Name("RequantizationRange")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput"),
                        RequantizationRangeOp);

class QuantizeDownAndShrinkRangeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    float min = 0, max = 0, used_min = 0, used_max = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 1, "input_min", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "input_max", &max));
    UsedRange(ctx->input(0), min, max, &used_min, &used_max);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &out));
    ToRange(ctx, min, max, used_min, used_max, out);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, used_min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, used_max));
  }
};
REGISTER_KERNEL_BUILDER(Name("QuantizeDownAndShrinkRange")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput")
                            .TypeConstraint<quint8>("out_type"),
                        QuantizeDownAndShrinkRangeOp);

class RequantizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    float min = 0, max = 0, new_min = 0, new_max = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 1, "input_min", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "input_max", &max));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 3, "requested_output_min", &new_min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 4, "requested_output_max", &new_max));
    OP_REQUIRES(ctx, new_min <= 0,
                errors::InvalidArgument(
                    "Requantize: requested_output_min must be <= 0, but got ",
                    new_min));
    OP_REQUIRES(
        ctx, new_max >= new_min,
        errors::InvalidArgument("Requantize: requested_output_max must be >= "
                                "requested_output_min, but got ",
                                new_max, " and ", new_min));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &out));
    ToRange(ctx, min, max, new_min, new_max, out);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, new_min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, new_max));
  }
};
constexpr DataType kNarrowTypes[] = {DT_QINT8, DT_QUINT8};
REGISTER_KERNEL_BUILDER(Name("Requantize")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput")
                            .TypeConstraint("out_type", kNarrowTypes),
                        RequantizeOp);

}  // namespace
}  // namespace tensorwright
