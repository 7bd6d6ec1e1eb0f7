// SPDX-License-Identifier: Apache-2.0
// Helpers of the FakeQuantWithMinMax kernels: the range of a quantization, its
// effect on one number, and the sums of its gradients.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_QUANTIZED_OPS_FAKE_RANGE_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_QUANTIZED_OPS_FAKE_RANGE_H_

#include <cmath>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace fake_quant {

// The codes, from attrs num_bits and narrow_range.
struct Codes {
  float lowest = 0, highest = 0;

  Status Read(OpKernelConstruction* ctx) {
    int num_bits = 0;
    bool narrow_range = false;
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_bits", &num_bits));
    TF_RETURN_IF_ERROR(ctx->GetAttr("narrow_range", &narrow_range));
    if (num_bits < 2 || num_bits > 16) {
      return errors::InvalidArgument(
          "FakeQuant: num_bits must be between 2 and 16, inclusive, got ",
          num_bits);
    }
    lowest = narrow_range ? 1.0f : 0.0f;
    highest = static_cast<float>((1 << num_bits) - 1);
    return OkStatus();
  }
};

// A range shifted so that 0 is one of its numbers.  If the range is [0, 0],
// only 0 is left, and every gradient passes.
struct Nudged {
  float min, max, scale, inverse_scale, zero;
  bool empty;

  Nudged(const Codes& codes, float given_min, float given_max)
      : empty(given_min == 0 && given_max == 0) {
    scale = (given_max - given_min) / (codes.highest - codes.lowest);
    const float zero_point = codes.lowest - given_min / scale;
    const float nudged = zero_point < codes.lowest    ? codes.lowest
                         : zero_point > codes.highest ? codes.highest
                                                      : std::round(zero_point);
    min = (codes.lowest - nudged) * scale;
    max = (codes.highest - nudged) * scale;
    inverse_scale = 1.0f / scale;
    zero = std::floor(-min * inverse_scale + 0.5f);
  }
};

// The nearest number of the range that has a code.
TW_WIDE_LOOP float Quantized(float x, float min, float max, float scale,
                             float inverse_scale, float zero) {
  x = x > max ? max : x;  // Comparisons that keep NaN.
  x = x < min ? min : x;
  return RoundDown((x - min) * inverse_scale - zero + 0.5f) * scale;
}

// The sums of g for x below a range, and for x above it.
struct Beyond {
  double below = 0, above = 0;
};

// InvalidArgument unless gradients and inputs, inputs 0 and 1, have one shape.
inline Status SameShapes(OpKernelContext* ctx) {
  const TensorShape& g = ctx->input(0).shape();
  const TensorShape& x = ctx->input(1).shape();
  if (g == x) return OkStatus();
  return errors::InvalidArgument(
      ctx->op_kernel().type_string(),
      ": gradients and inputs must have the same shape, got ", g.DebugString(),
      " and ", x.DebugString());
}

}  // namespace fake_quant
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_QUANTIZED_OPS_FAKE_RANGE_H_
