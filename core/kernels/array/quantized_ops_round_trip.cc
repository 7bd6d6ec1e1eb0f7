// SPDX-License-Identifier: Apache-2.0
// QuantizeAndDequantize and its versions 2 and 3: numbers as they would be
// after a trip through integers of num_bits bits.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// y = round(clamp(x) * scale) * inverse_scale.
template <typename T>
struct Trip {
  T min, max;  // x is clamped to these; infinite if it is not clamped.
  T scale, inverse_scale;
};

// Takes the largest scale with which both ends of the range are within the
// integers of so many bits; the other end is then that of the integers.
template <typename T>
Trip<T> TripOf(T min, T max, int num_bits, bool is_signed, bool narrow,
               bool clamp) {
  const int64_t lowest =
      is_signed ? -(int64_t{1} << (num_bits - 1)) + (narrow ? 1 : 0) : 0;
  const int64_t highest =
      (int64_t{1} << (is_signed ? num_bits - 1 : num_bits)) - 1;
  const T low = static_cast<T>(lowest);
  const T high = static_cast<T>(highest);
  const T none = std::numeric_limits<T>::max();
  const T from_min = low * min > 0 ? low / min : none;
  const T from_max = high * max > 0 ? high / max : none;
  Trip<T> trip{min, max, 0, 0};
  if (from_min < from_max) {
    trip.scale = from_min;
    trip.inverse_scale = min / low;
    trip.max = high * trip.inverse_scale;
  } else {
    trip.scale = from_max;
    trip.inverse_scale = max / high;
    trip.min = low * trip.inverse_scale;
  }
  if (!clamp) {
    trip.max = std::numeric_limits<T>::infinity();
    trip.min = -trip.max;
  }
  return trip;
}

template <typename T>
TW_WIDE_LOOP T Clamped(T x, const Trip<T>& trip) {
  x = x > trip.max ? trip.max : x;  // Comparisons that keep NaN.
  return x < trip.min ? trip.min : x;
}

template <typename T>
struct HalfToEvenLoop {
  TW_WIDE_LOOP static void Run(Trip<T> trip, const T* x, T* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = RoundHalfToEven(Clamped(x[i], trip) * trip.scale) *
             trip.inverse_scale;
    }
  }
};

template <typename T>
struct HalfUpLoop {
  TW_WIDE_LOOP static void Run(Trip<T> trip, const T* x, T* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = RoundDown(Clamped(x[i], trip) * trip.scale + T(0.5)) *
             trip.inverse_scale;
    }
  }
};

// The least and the largest of some numbers; NaN counts as neither.
template <typename T>
struct Ends {
  T low = std::numeric_limits<T>::infinity(), high = -low;
};

template <typename T>
struct EndsLoop {
  TW_WIDE_LOOP static Ends<T> Run(const T* x, int64_t n) {
    constexpr int kChains = 32;
    T low[kChains], high[kChains];
    std::fill_n(low, kChains, Ends<T>().low);
    std::fill_n(high, kChains, Ends<T>().high);
    const auto take = [&](int j, T v) {
      low[j] = v < low[j] ? v : low[j];
      high[j] = v > high[j] ? v : high[j];
    };
    int64_t i = 0;
    for (; i + kChains <= n; i += kChains) {
      TW_VECTORIZE
      for (int j = 0; j < kChains; ++j) take(j, x[i + j]);
    }
    for (int j = 0; i < n; ++i, ++j) take(j, x[i]);
    return {*std::min_element(low, low + kChains),
            *std::max_element(high, high + kChains)};
  }
};

template <typename T>
Ends<T> EndsOf(OpKernelContext* ctx, const T* x, int64_t n) {
  constexpr int64_t kPart = 1 << 14;
  std::vector<Ends<T>> parts((n + kPart - 1) / kPart);
  ParallelFor(ctx, static_cast<int64_t>(parts.size()), kPart / 4,
              [&](int64_t begin, int64_t end) {
                for (int64_t p = begin; p < end; ++p) {
                  parts[p] = RunWide<EndsLoop<T>>(
                      x + p * kPart, std::min(kPart, n - p * kPart));
                }
              });
  Ends<T> all;
  for (const Ends<T>& part : parts) {
    all.low = std::min(all.low, part.low);
    all.high = std::max(all.high, part.high);
  }
  return all;
}

// Inputs: the numbers; in versions 2 and 3 also the ends of the range; in
// version 3 also num_bits.
template <typename T>
class QuantizeAndDequantizeOp final : public OpKernel {
 public:
  explicit QuantizeAndDequantizeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("signed_input", &signed_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("range_given", &range_given_));
    if (ctx->num_inputs() < 4) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("num_bits", &num_bits_));
      OP_REQUIRES_OK(ctx, CheckBits(num_bits_));
    }
    if (ctx->num_inputs() == 1) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("input_min", &min_));
      OP_REQUIRES_OK(ctx, ctx->GetAttr("input_max", &max_));
      if (range_given_) OP_REQUIRES_OK(ctx, CheckRange(min_, max_));
      return;
    }
    OP_REQUIRES_OK(ctx, ctx->GetAttr("axis", &axis_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("narrow_range", &narrow_range_));
    if (ctx->HasAttr("round_mode")) {
      std::string mode;
      OP_REQUIRES_OK(ctx, ctx->GetAttr("round_mode", &mode));
      half_up_ = mode == "HALF_UP";
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    int num_bits = num_bits_;
    if (ctx->num_inputs() == 4) {
      const Tensor& bits = ctx->input(3);
      OP_REQUIRES(ctx, bits.dims() == 0,
                  errors::InvalidArgument(
                      "QuantizeAndDequantizeV3: num_bits must be a scalar, got "
                      "shape ",
                      bits.shape().DebugString()));
      num_bits = *bits.base<int32_t>();
      OP_REQUIRES_OK(ctx, CheckBits(num_bits));
    }
    SlicedShape shape;
    OP_REQUIRES_OK(ctx, SliceAlong(ctx, input.shape(), axis_, &shape));
    if (axis_ == -1) shape.inner = input.NumElements();
    std::vector<T> mins(shape.slices), maxes(shape.slices);
    OP_REQUIRES_OK(ctx, Ranges(ctx, shape, &mins, &maxes));
    std::vector<Trip<T>> trips;
    for (int64_t s = 0; s < shape.slices; ++s) {
      trips.push_back(TripOf<T>(mins[s], maxes[s], num_bits, signed_,
                                narrow_range_, range_given_));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, input.shape(), &out));
    const T* x = input.base<T>();
    T* y = out->base<T>();
    ParallelFor(ctx, input.NumElements(), 2, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        const int64_t row = at / shape.inner;
        const int64_t n = std::min((row + 1) * shape.inner, end) - at;
        const Trip<T>& trip = trips[row % shape.slices];
        if (half_up_) {
          RunWide<HalfUpLoop<T>>(trip, x + at, y + at, n);
        } else {
          RunWide<HalfToEvenLoop<T>>(trip, x + at, y + at, n);
        }
        at += n;
      }
    });
  }

 private:
  Status CheckBits(int num_bits) const {
    if (num_bits > 0 && num_bits < (signed_ ? 62 : 63)) return OkStatus();
    return errors::InvalidArgument(type_string(),
                                   ": num_bits is out of range: ", num_bits,
                                   " with signed_input ", signed_);
  }

  Status CheckRange(T min, T max) const {
    if (min <= max) return OkStatus();
    return errors::InvalidArgument(type_string(), ": Invalid range: input_min ",
                                   min, " > input_max ", max);
  }

  // The range of each slice, given or found.
  Status Ranges(OpKernelContext* ctx, const SlicedShape& shape,
                std::vector<T>* mins, std::vector<T>* maxes) const {
    if (!range_given_) {
      FindRanges(ctx, shape, mins, maxes);
      return OkStatus();
    }
    if (ctx->num_inputs() == 1) {
      (*mins)[0] = static_cast<T>(min_);
      (*maxes)[0] = static_cast<T>(max_);
      return OkStatus();
    }
    const Tensor& min = ctx->input(1);
    const Tensor& max = ctx->input(2);
    TF_RETURN_IF_ERROR(CheckSliceRanges(ctx, min, "input_min", axis_, shape));
    TF_RETURN_IF_ERROR(CheckSliceRanges(ctx, max, "input_max", axis_, shape));
    for (int64_t s = 0; s < shape.slices; ++s) {
      (*mins)[s] = min.base<T>()[s];
      (*maxes)[s] = max.base<T>()[s];
      TF_RETURN_IF_ERROR(CheckRange((*mins)[s], (*maxes)[s]));
    }
    return OkStatus();
  }

  static void FindRanges(OpKernelContext* ctx, const SlicedShape& shape,
                         std::vector<T>* mins, std::vector<T>* maxes) {
    const Tensor& input = ctx->input(0);
    if (input.NumElements() == 0) return;
    std::fill(mins->begin(), mins->end(), std::numeric_limits<T>::infinity());
    std::fill(maxes->begin(), maxes->end(),
              -std::numeric_limits<T>::infinity());
    const T* x = input.base<T>();
    for (int64_t row = 0; row < shape.outer * shape.slices; ++row) {
      T &low = (*mins)[row % shape.slices],
        &high = (*maxes)[row % shape.slices];
      const Ends<T> ends = EndsOf(ctx, x, shape.inner);
      low = ends.low < low ? ends.low : low;
      high = ends.high > high ? ends.high : high;
      x += shape.inner;
    }
  }

  bool signed_ = true;
  bool range_given_ = false;
  bool narrow_range_ = false;
  bool half_up_ = false;
  int num_bits_ = 8;
  int axis_ = -1;
  float min_ = 0, max_ = 0;  // Attrs of version 1.
};
REGISTER_KERNEL_FOR_TYPES(Name("QuantizeAndDequantize").Device(DEVICE_CPU), "T",
                          QuantizeAndDequantizeOp, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("QuantizeAndDequantizeV2").Device(DEVICE_CPU),
                          "T", QuantizeAndDequantizeOp, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("QuantizeAndDequantizeV3").Device(DEVICE_CPU),
                          "T", QuantizeAndDequantizeOp, float, double);

}  // namespace
}  // namespace tensorwright
