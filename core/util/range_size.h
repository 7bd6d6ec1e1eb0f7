// SPDX-License-Identifier: Apache-2.0
// The number of elements of tf.range(start, limit, delta): one formula for the
// shape function and the kernel.
#ifndef TENSORWRIGHT_CORE_UTIL_RANGE_SIZE_H_
#define TENSORWRIGHT_CORE_UTIL_RANGE_SIZE_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Fails on delta == 0, on a limit on the wrong side of start, and on a count
// that int64 does not hold (NaN and infinity included).
template <typename T>
StatusOr<int64_t> RangeSize(T start, T limit, T delta) {
  if (delta == T(0)) {
    return errors::InvalidArgument("Range: Requires delta != 0, got 0");
  }
  if (delta > T(0) ? start > limit : start < limit) {
    using Shown =
        std::conditional_t<std::is_integral<T>::value, int64_t, double>;
    return errors::InvalidArgument(
        "Range: Requires start ",
        delta > T(0) ? "<=" : ">=", " limit when delta ",
        delta > T(0) ? "> 0" : "< 0",
        ", got start = ", static_cast<Shown>(start),
        ", limit = ", static_cast<Shown>(limit));
  }
  if constexpr (std::is_integral<T>::value) {
    // A difference of 64-bit integers needs all 64 bits, unsigned.
    const uint64_t from = static_cast<uint64_t>(start);
    const uint64_t to = static_cast<uint64_t>(limit);
    const uint64_t span = delta > T(0) ? to - from : from - to;
    const uint64_t step = delta > T(0) ? static_cast<uint64_t>(delta)
                                       : -static_cast<uint64_t>(delta);
    const uint64_t size = span / step + (span % step != 0);
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return errors::InvalidArgument(
          "Range: Requires ((limit - start) / ",
          "delta) <= ", std::numeric_limits<int64_t>::max());
    }
    return static_cast<int64_t>(size);
  } else {
    const T steps = (limit - start) / delta;  // Rounded to T, as in TensorFlow.
    const double size = std::ceil(std::abs(static_cast<double>(steps)));
    if (!(size < 9.2e18)) {
      return errors::InvalidArgument(
          "Range: Requires ((limit - start) / delta) <= ",
          std::numeric_limits<int64_t>::max(), ", got ", size);
    }
    return static_cast<int64_t>(size);
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_RANGE_SIZE_H_
