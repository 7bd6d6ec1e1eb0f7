// SPDX-License-Identifier: Apache-2.0
// Conversion of arrays between float and bfloat16; bound by memory bandwidth.
#include "core/compat/framework/bfloat16.h"

namespace tensorwright {

void FloatToBFloat16(const float* src, bfloat16* dst, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    const uint32_t bits = Eigen::numext::bit_cast<uint32_t>(src[i]);
    dst[i] =
        Eigen::numext::bit_cast<bfloat16>(static_cast<uint16_t>(bits >> 16));
  }
}

void RoundFloatToBFloat16(const float* src, bfloat16* dst, int64_t size) {
  for (int64_t i = 0; i < size; ++i) dst[i] = bfloat16(src[i]);
}

void BFloat16ToFloat(const bfloat16* src, float* dst, int64_t size) {
  for (int64_t i = 0; i < size; ++i) dst[i] = static_cast<float>(src[i]);
}

}  // namespace tensorwright
