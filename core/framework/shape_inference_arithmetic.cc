// SPDX-License-Identifier: Apache-2.0
// InferenceContext: arithmetic on dimensions.
#include "core/framework/shape_inference.h"
#include "core/framework/shape_inference_internal.h"

namespace tensorwright {
namespace shape_inference {

Status InferenceContext::Divide(DimensionHandle dividend,
                                DimensionOrConstant divisor,
                                bool evenly_divisible, DimensionHandle* out) {
  const int64_t by = Value(divisor);
  if (by == 1) {
    *out = dividend;
    return OkStatus();
  }
  if (!ValueKnown(dividend) || !ValueKnown(divisor)) {
    *out = UnknownDim();
    return OkStatus();
  }
  const int64_t value = Value(dividend);
  if (by <= 0) {
    return errors::InvalidArgument(
        "a dimension can be divided by a positive "
        "number only, got ",
        by);
  }
  if (evenly_divisible && value % by != 0) {
    return errors::InvalidArgument(
        "Dimension size must be evenly divisible by ", by, " but is ", value);
  }
  *out = MakeDim(value / by);
  return OkStatus();
}

Status InferenceContext::Add(DimensionHandle first, DimensionOrConstant second,
                             DimensionHandle* out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == 0) {
    *out = MakeDim(second);
  } else if (b == 0) {
    *out = first;
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = UnknownDim();
  } else {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum < 0) {
      return errors::InvalidArgument("a dimension must fit an int64, got ", a,
                                     " + ", b);
    }
    *out = MakeDim(sum);
  }
  return OkStatus();
}

Status InferenceContext::Subtract(DimensionHandle first,
                                  DimensionOrConstant second,
                                  DimensionHandle* out) {
  const int64_t a = Value(first), b = Value(second);
  if (b == 0) {
    *out = first;
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = UnknownDim();
  } else if (a < b) {
    return errors::InvalidArgument("a dimension must be >= 0, got ", a, " - ",
                                   b);
  } else {
    *out = MakeDim(a - b);
  }
  return OkStatus();
}

Status InferenceContext::Multiply(DimensionHandle first,
                                  DimensionOrConstant second,
                                  DimensionHandle* out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == 0 || b == 1) {
    *out = first;
  } else if (b == 0 || a == 1) {
    *out = MakeDim(second);
  } else if (a == kUnknownDim || b == kUnknownDim) {
    *out = UnknownDim();
  } else {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product < 0) {
      return errors::InvalidArgument("a dimension must fit an int64, got ", a,
                                     " * ", b);
    }
    *out = MakeDim(product);
  }
  return OkStatus();
}

Status InferenceContext::Min(DimensionHandle first, DimensionOrConstant second,
                             DimensionHandle* out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == 0 || (a != kUnknownDim && b != kUnknownDim && a <= b)) {
    *out = first;
  } else if (b == 0 || (a != kUnknownDim && b != kUnknownDim)) {
    *out = MakeDim(second);
  } else {
    *out = UnknownDim();
  }
  return OkStatus();
}

Status InferenceContext::Max(DimensionHandle first, DimensionOrConstant second,
                             DimensionHandle* out) {
  const int64_t a = Value(first), b = Value(second);
  if (a == kUnknownDim || b == kUnknownDim) {
    *out = UnknownDim();
  } else {
    *out = a >= b ? first : MakeDim(second);
  }
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
