// SPDX-License-Identifier: Apache-2.0
// Conversion of arrays between float and bfloat16.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_BFLOAT16_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_BFLOAT16_H_

#include <cstdint>

#include "core/framework/numeric_types.h"

namespace tensorwright {

// Drops the lower 16 bits: rounds towards 0.
void FloatToBFloat16(const float* src, bfloat16* dst, int64_t size);
// Rounds to nearest, ties to even; NaN stays NaN.
void RoundFloatToBFloat16(const float* src, bfloat16* dst, int64_t size);
// The conversion is exact.
void BFloat16ToFloat(const bfloat16* src, float* dst, int64_t size);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_BFLOAT16_H_
