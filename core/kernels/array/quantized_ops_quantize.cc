// SPDX-License-Identifier: Apache-2.0
// QuantizeV2 and Dequantize.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

enum class Mode { kMinCombined, kMinFirst, kScaled };

// Attrs that both ops have.
struct Attrs {
  Mode mode = Mode::kMinCombined;
  bool narrow_range = false;
  int axis = -1;

  Status Read(OpKernelConstruction* ctx) {
    std::string name;
    TF_RETURN_IF_ERROR(ctx->GetAttr("mode", &name));
    mode = name == "SCALED"      ? Mode::kScaled
           : name == "MIN_FIRST" ? Mode::kMinFirst
                                 : Mode::kMinCombined;
    TF_RETURN_IF_ERROR(ctx->GetAttr("narrow_range", &narrow_range));
    return ctx->GetAttr("axis", &axis);
  }
};

// The amount that MIN_COMBINED subtracts for signed codes.
template <typename T>
constexpr float kHalfRange = kLowestCode<T> < 0
                                 ? static_cast<float>((kCodeSteps<T> + 1) / 2)
                                 : 0.0f;

// ---- QuantizeV2.

// The conversion of one slice's numbers to codes.
struct Quantization {
  float min, max;  // The ends of the range, also of the output.
  float scale;
};

// The given range, widened to contain 0 and to be large enough.
StatusOr<Quantization> WidenedRange(float given_min, float given_max,
                                    float ensure_minimum_range) {
  if (given_min > given_max) {
    return errors::InvalidArgument(
        "QuantizeV2: input_max_range must be larger than input_min_range, "
        "got ",
        given_max, " and ", given_min);
  }
  Quantization q;
  q.min = std::min(0.0f, given_min);
  const float least =
      std::max(1.0f, std::max(std::fabs(given_min), std::fabs(given_max))) *
      ensure_minimum_range;
  q.max = std::max(0.0f, std::max(given_max, q.min + least));
  q.scale = 0;
  return q;
}

// SCALED: the largest scale that keeps both ends within [lowest, highest], and
// the range that then fills the codes.
template <typename T>
void FitScaled(bool narrow_range, Quantization* q) {
  const float lowest =
      static_cast<float>(kLowestCode<T>) + (narrow_range ? 1.0f : 0.0f);
  const float highest = static_cast<float>(kHighestCode<T>);
  const float none = std::numeric_limits<float>::max();
  const float from_min = lowest * q->min > 0 ? lowest / q->min : none;
  const float from_max = highest * q->max > 0 ? highest / q->max : none;
  q->scale = std::min(from_min, from_max);
  q->min = lowest / q->scale;
  q->max = highest / q->scale;
}

TW_WIDE_LOOP float Clamp(float x, const Quantization& q) {
  x = x < q.max ? x : q.max;
  return x > q.min ? x : q.min;
}

template <typename T>
struct MinCombinedLoop {
  TW_WIDE_LOOP static void Run(Quantization q, const float* x, T* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const float above = (Clamp(x[i], q) - q.min) * q.scale;
      if constexpr (kLowestCode<T> < 0) {
        y[i] = SaturateToCode<T>(RoundHalfAwayFromZero(above - kHalfRange<T>));
      } else {
        y[i] = SaturateToCode<T>(above + 0.5f);  // Cut off there.
      }
    }
  }
};

template <typename T>
struct MinFirstLoop {
  TW_WIDE_LOOP static void Run(MinFirstQuantizer<T> q, const float* x, T* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = q(x[i]);
  }
};

template <typename T>
struct ScaledLoop {
  TW_WIDE_LOOP static void Run(Quantization q, const float* x, T* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = SaturateToCode<T>(RoundHalfAwayFromZero(Clamp(x[i], q) * q.scale));
    }
  }
};

template <typename T>
struct ScaledToEvenLoop {
  TW_WIDE_LOOP static void Run(Quantization q, const float* x, T* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = SaturateToCode<T>(RoundHalfToEven(Clamp(x[i], q) * q.scale));
    }
  }
};

// Calls run(slice, begin, count) for the runs of elements [begin, end) of a
// tensor that lie in one slice.
template <typename Run>
void ForEachSliceRun(const SlicedShape& shape, int64_t begin, int64_t end,
                     Run run) {
  for (int64_t at = begin; at < end;) {
    const int64_t row = at / shape.inner;
    const int64_t n = std::min((row + 1) * shape.inner, end) - at;
    run(row % shape.slices, at, n);
    at += n;
  }
}

template <typename T>
class QuantizeV2Op final : public OpKernel {
 public:
  explicit QuantizeV2Op(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
    std::string round_mode;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("round_mode", &round_mode));
    to_even_ = round_mode == "HALF_TO_EVEN";
    OP_REQUIRES(
        ctx, !to_even_ || attrs_.mode == Mode::kScaled,
        errors::InvalidArgument("QuantizeV2: round_mode HALF_TO_EVEN is for "
                                "mode SCALED only"));
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("ensure_minimum_range", &ensure_minimum_range_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& mins = ctx->input(1);
    const Tensor& maxes = ctx->input(2);
    SlicedShape shape;
    OP_REQUIRES_OK(ctx, SliceAlong(ctx, input.shape(), attrs_.axis, &shape));
    if (attrs_.axis == -1) shape.inner = input.NumElements();
    OP_REQUIRES_OK(
        ctx, CheckSliceRanges(ctx, mins, "min_range", attrs_.axis, shape));
    OP_REQUIRES_OK(
        ctx, CheckSliceRanges(ctx, maxes, "max_range", attrs_.axis, shape));
    TensorShape range_shape;
    if (attrs_.axis != -1) range_shape.AddDim(shape.slices);
    Tensor *out = nullptr, *out_min = nullptr, *out_max = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, range_shape, &out_min));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, range_shape, &out_max));
    std::vector<Quantization> slices;
    for (int64_t s = 0; s < shape.slices; ++s) {
      StatusOr<Quantization> q = WidenedRange(
          mins.base<float>()[s], maxes.base<float>()[s], ensure_minimum_range_);
      OP_REQUIRES_OK(ctx, q.status());
      if (attrs_.mode == Mode::kScaled) FitScaled<T>(attrs_.narrow_range, &*q);
      if (attrs_.mode == Mode::kMinCombined) {
        q->scale = static_cast<float>(kCodeSteps<T> / (q->max - q->min));
      }
      slices.push_back(*q);
      out_min->base<float>()[s] = q->min;
      out_max->base<float>()[s] = q->max;
    }
    const float* x = input.base<float>();
    T* y = out->base<T>();
    ParallelFor(ctx, input.NumElements(), 2, [&](int64_t begin, int64_t end) {
      ForEachSliceRun(shape, begin, end, [&](int64_t s, int64_t at, int64_t n) {
        Quantize(slices[s], x + at, y + at, n);
      });
    });
  }

 private:
  void Quantize(const Quantization& q, const float* x, T* y, int64_t n) const {
    switch (attrs_.mode) {
      case Mode::kMinCombined:
        return RunWide<MinCombinedLoop<T>>(q, x, y, n);
      case Mode::kMinFirst:
        return RunWide<MinFirstLoop<T>>(MinFirstQuantizer<T>(q.min, q.max), x,
                                        y, n);
      case Mode::kScaled:
        return to_even_ ? RunWide<ScaledToEvenLoop<T>>(q, x, y, n)
                        : RunWide<ScaledLoop<T>>(q, x, y, n);
    }
  }

  Attrs attrs_;
  bool to_even_ = false;
  float ensure_minimum_range_ = 0;
};
REGISTER_KERNEL_FOR_TYPES(Name("QuantizeV2").Device(DEVICE_CPU), "T",
                          QuantizeV2Op, qint8, quint8, qint16, quint16, qint32);

// ---- Dequantize.

// y = (code + shift) * scale + offset, in every mode.
struct Dequantization {
  float shift, scale, offset;
};

template <typename T>
Dequantization DequantizationOf(const Attrs& attrs, float min, float max) {
  switch (attrs.mode) {
    case Mode::kMinFirst: {
      const MinFirstDequantizer<T> d(min, max);
      return {0, d.scale, d.offset};
    }
    case Mode::kScaled: {
      const float highest = static_cast<float>(kHighestCode<T>);
      if (kLowestCode<T> == 0) return {0, max / highest, 0};
      const float lowest = static_cast<float>(kLowestCode<T>) +
                           (attrs.narrow_range ? 1.0f : 0.0f);
      return {0, std::max(min / lowest, max / highest), 0};
    }
    case Mode::kMinCombined:
      break;
  }
  const float steps =
      static_cast<float>(kHighestCode<T>) - static_cast<float>(kLowestCode<T>);
  return {kHalfRange<T>, (max - min) / steps, min};
}

template <typename T, typename Out>
struct DequantizeLoop {
  TW_WIDE_LOOP static void Run(Dequantization d, const T* x, Out* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<Out>(
          (static_cast<float>(x[i].value) + d.shift) * d.scale + d.offset);
    }
  }
};

template <typename T>
class DequantizeOp final : public OpKernel {
 public:
  explicit DequantizeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
    OP_REQUIRES(ctx,
                output_type(0) == DT_FLOAT || attrs_.mode != Mode::kMinFirst,
                errors::InvalidArgument("Dequantize: mode MIN_FIRST has no "
                                        "output of type bfloat16"));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& mins = ctx->input(1);
    const Tensor& maxes = ctx->input(2);
    SlicedShape shape;
    OP_REQUIRES_OK(ctx, SliceAlong(ctx, input.shape(), attrs_.axis, &shape));
    if (attrs_.axis == -1) shape.inner = input.NumElements();
    OP_REQUIRES_OK(
        ctx, CheckSliceRanges(ctx, mins, "min_range", attrs_.axis, shape));
    OP_REQUIRES_OK(
        ctx, CheckSliceRanges(ctx, maxes, "max_range", attrs_.axis, shape));
    std::vector<Dequantization> slices;
    for (int64_t s = 0; s < shape.slices; ++s) {
      slices.push_back(DequantizationOf<T>(attrs_, mins.base<float>()[s],
                                           maxes.base<float>()[s]));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    if (out->dtype() == DT_FLOAT) {
      Dequantize(ctx, shape, slices, input, out->base<float>());
    } else {
      Dequantize(ctx, shape, slices, input, out->base<bfloat16>());
    }
  }

 private:
  template <typename Out>
  void Dequantize(OpKernelContext* ctx, const SlicedShape& shape,
                  const std::vector<Dequantization>& slices,
                  const Tensor& input, Out* y) const {
    const T* x = input.base<T>();
    ParallelFor(ctx, input.NumElements(), 1, [&](int64_t begin, int64_t end) {
      ForEachSliceRun(shape, begin, end, [&](int64_t s, int64_t at, int64_t n) {
        RunWide<DequantizeLoop<T, Out>>(slices[s], x + at, y + at, n);
      });
    });
  }

  Attrs attrs_;
};
REGISTER_KERNEL_FOR_TYPES(Name("Dequantize").Device(DEVICE_CPU), "T",
                          DequantizeOp, qint8, quint8, qint16, quint16, qint32);

}  // namespace
}  // namespace tensorwright
