// SPDX-License-Identifier: Apache-2.0
// Real numbers as integers of a known range: the conversions that the quantized
// kernels share.
//
// A quantized tensor comes with the real numbers that its lowest and highest
// codes stand for.  Most ops use the mode MIN_FIRST, in which the codes are
// equally far apart and real 0 is one of them; MinFirstQuantizer and
// MinFirstDequantizer are its arithmetic on many elements, in floats, and
// CodeToReal and RealToCode on one, in doubles.  The two may round the last bit
// differently, and each op is defined by the one it uses.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_QUANTIZED_CODES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_QUANTIZED_CODES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// T is one of the quantized types from here on.
template <typename T>
using CodeType = decltype(T::value);

template <typename T>
inline constexpr CodeType<T> kLowestCode =
    std::numeric_limits<CodeType<T>>::lowest();
template <typename T>
inline constexpr CodeType<T> kHighestCode =
    std::numeric_limits<CodeType<T>>::max();
// One less than the number of codes.
template <typename T>
inline constexpr double kCodeSteps = static_cast<double>(kHighestCode<T>) -
                                     static_cast<double>(kLowestCode<T>);

// ---- Rounding that the compiler can vectorise, for any size; NaN stays NaN.

template <typename Real>
TW_WIDE_LOOP Real RoundHalfToEven(Real x) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return __builtin_rintf(x);
  } else {
    return __builtin_rint(x);
  }
}

template <typename Real>
TW_WIDE_LOOP Real RoundDown(Real x) {
  const Real r = RoundHalfToEven(x);
  return r - (r > x ? Real(1) : Real(0));
}

template <typename Real>
TW_WIDE_LOOP Real RoundHalfAwayFromZero(Real x) {
  // Adding exactly 0.5 would round up the number just below 0.5: the sum rounds
  // to 1.
  if constexpr (sizeof(Real) == sizeof(float)) {
    constexpr float kJustBelowHalf = 0.49999997f;
    return __builtin_truncf(x + __builtin_copysignf(kJustBelowHalf, x));
  } else {
    constexpr double kJustBelowHalf = 0.49999999999999994;
    return __builtin_trunc(x + __builtin_copysign(kJustBelowHalf, x));
  }
}

// The code for a whole number; the nearest code if there is none for it, the
// lowest for NaN.  For qint32 the highest result is the highest one that a
// float holds.
template <typename T>
TW_WIDE_LOOP T SaturateToCode(float x) {
  constexpr float kLow = static_cast<float>(kLowestCode<T>);
  constexpr float kHigh =
      sizeof(T) == 4 ? 2147483520.0f : static_cast<float>(kHighestCode<T>);
  x = x > kLow ? x : kLow;
  x = x < kHigh ? x : kHigh;
  return T{static_cast<CodeType<T>>(static_cast<int32_t>(x))};
}

// A double as an integer; the nearest end of the range if it is outside, 0 for
// NaN.
inline int64_t SaturateToInt64(double x) {
  if (!(x == x)) return 0;
  if (x >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (x <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

// ---- MIN_FIRST.

// codes = round(x * scale) - round(min * scale) + lowest.
template <typename T>
struct MinFirstQuantizer {
  float scale;
  float zero;  // Subtracted after rounding.

  MinFirstQuantizer(float min, float max)
      : scale(max == min ? 0.0f
                         : static_cast<float>(kCodeSteps<T> /
                                              static_cast<double>(max - min))),
        zero(std::round(min * scale) - static_cast<float>(kLowestCode<T>)) {}

  TW_WIDE_LOOP T operator()(float x) const {
    return SaturateToCode<T>(RoundHalfAwayFromZero(x * scale) - zero);
  }
};

// x = code * scale + offset, which is 0 for the code of real 0.
template <typename T>
struct MinFirstDequantizer {
  float scale;
  float offset;

  MinFirstDequantizer(float min, float max)
      : scale(static_cast<float>(static_cast<double>(max - min) /
                                 kCodeSteps<T>)) {
    const float rounded = max == min ? min : std::round(min / scale) * scale;
    offset = rounded - static_cast<float>(kLowestCode<T>) * scale;
  }

  TW_WIDE_LOOP float operator()(T code) const {
    return offset + static_cast<float>(code.value) * scale;
  }
};

// The range that all codes of T span: a step more than [min, max].  It is
// TensorFlow's formula: halves are rounded after it, so its last bit counts.
template <typename T>
double CodesSpan(float min, float max) {
  constexpr double kCodes = kCodeSteps<T> + 1;
  return static_cast<double>(max - min) * (kCodes / (kCodes - 1));
}

// The real number that one code stands for.
template <typename T>
float CodeToReal(T code, float min, float max) {
  if (min == max) return min;
  const double step = CodesSpan<T>(min, max) / (kCodeSteps<T> + 1);
  const float narrow_step = static_cast<float>(step);
  const float first = std::round(min / narrow_step) * narrow_step;
  const double above =
      static_cast<double>(static_cast<float>(code.value)) - kLowestCode<T>;
  return static_cast<float>(first + above * step);
}

// The code of a real number, which may be outside T's.
template <typename T>
int64_t RealToCodeUnclamped(float x, float min, float max) {
  if (min == max) return kLowestCode<T>;
  const double per_unit = (kCodeSteps<T> + 1) / CodesSpan<T>(min, max);
  const int64_t code =
      SaturateToInt64(std::round(x * per_unit) - std::round(min * per_unit));
  int64_t sum;
  if (__builtin_add_overflow(code, int64_t{kLowestCode<T>}, &sum)) return code;
  return sum;
}

template <typename T>
T RealToCode(float x, float min, float max) {
  const int64_t code = RealToCodeUnclamped<T>(x, min, max);
  return T{static_cast<CodeType<T>>(
      std::clamp<int64_t>(code, kLowestCode<T>, kHighestCode<T>))};
}

// ---- Products of quint8 by quint8, in qint32.

// The code of real 0, modulo 2^32: it may be outside [0, 255].
inline uint32_t ZeroCode(float min, float max) {
  return static_cast<uint32_t>(RealToCodeUnclamped<quint8>(0.0f, min, max));
}

// The range of the codes of products, whose step is the product of the steps.
struct ProductRange {
  float min, max;

  ProductRange(float min_x, float max_x, float min_y, float max_y) {
    const float step = ((max_x - min_x) / 255.0f) * ((max_y - min_y) / 255.0f);
    min = step * static_cast<float>(std::numeric_limits<int32_t>::lowest());
    max = step * static_cast<float>(std::numeric_limits<int32_t>::max());
  }
};

// ---- Arguments.

// A range's end: input `index`, a float scalar called `name`.
inline Status ScalarInput(OpKernelContext* ctx, int index, const char* name,
                          float* value) {
  const Tensor& t = ctx->input(index);
  if (t.dims() != 0) {
    return errors::InvalidArgument(ctx->op_kernel().type_string(), ": ", name,
                                   " must be a scalar, got shape ",
                                   t.shape().DebugString());
  }
  *value = *t.base<float>();
  return OkStatus();
}

// Inputs `index` and `index` + 1; the second must be the larger.
inline Status IncreasingRange(OpKernelContext* ctx, int index,
                              const char* min_name, const char* max_name,
                              float* min, float* max) {
  TF_RETURN_IF_ERROR(ScalarInput(ctx, index, min_name, min));
  TF_RETURN_IF_ERROR(ScalarInput(ctx, index + 1, max_name, max));
  if (*min < *max) return OkStatus();
  return errors::InvalidArgument(ctx->op_kernel().type_string(), ": ", max_name,
                                 " must be larger than ", min_name, ", got ",
                                 *max, " and ", *min);
}

// Allocates output `index`, a scalar, and sets it.
inline Status ScalarOutput(OpKernelContext* ctx, int index, float value) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(index, TensorShape({}), &out));
  *out->base<float>() = value;
  return OkStatus();
}

// A tensor seen as [outer, slices, inner], with a range for each slice; it has
// one slice if `axis` is -1.
struct SlicedShape {
  int64_t outer = 1, slices = 1, inner = 1;
};

inline Status SliceAlong(OpKernelContext* ctx, const TensorShape& shape,
                         int axis, SlicedShape* sliced) {
  if (axis < -1 || axis >= shape.dims()) {
    if (axis == -1) return OkStatus();
    return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                   ": axis must be -1 or a dimension of the "
                                   "input, got ",
                                   axis, " and shape ", shape.DebugString());
  }
  for (int d = 0; d < shape.dims(); ++d) {
    (d < axis    ? sliced->outer
     : d == axis ? sliced->slices
                 : sliced->inner) *= shape.dim_size(d);
  }
  return OkStatus();
}

// `name`, an end of the ranges, must have an element for each slice: a vector
// if `axis` is given, else one element.
inline Status CheckSliceRanges(OpKernelContext* ctx, const Tensor& ends,
                               const char* name, int axis,
                               const SlicedShape& sliced) {
  if (axis == -1 ? ends.NumElements() == 1
                 : ends.dims() == 1 && ends.NumElements() == sliced.slices) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      ctx->op_kernel().type_string(), ": ", name, " must have ",
      axis == -1 ? "one element" : "an element for each slice along axis",
      ", of which there are ", sliced.slices, ", got shape ",
      ends.shape().DebugString());
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_QUANTIZED_CODES_H_
