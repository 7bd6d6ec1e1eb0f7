// SPDX-License-Identifier: Apache-2.0
// The digits that Cast drops, on all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CAST_OP_BITS_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CAST_OP_BITS_H_

#include "core/framework/types.h"

namespace tensorwright {

// Returns the number of bits after the leading one of a real number; 0 for
// other types.
inline int MantissaBits(DataType dtype) {
  switch (dtype) {
    case DT_DOUBLE:
      return 52;
    case DT_FLOAT:
      return 23;
    case DT_HALF:
      return 10;
    case DT_BFLOAT16:
      return 7;
    default:
      return 0;
  }
}

// Returns how many low bits of `from` a truncating cast clears before it rounds
// to `to`, so that nothing is rounded; 0 if `to` has them all.
inline int ClearedBits(DataType from, DataType to) {
  const int kept = MantissaBits(to), given = MantissaBits(from);
  return kept > 0 && given > kept ? given - kept : 0;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CAST_OP_BITS_H_
