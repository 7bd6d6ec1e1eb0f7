// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's fingerprint.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_FINGERPRINT_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_FINGERPRINT_H_

#include <cstddef>

#include "core/platform/fingerprint.h"

namespace tensorwright {

// For tables keyed by 128 bits: the lower bits are mixed well enough.
struct Fprint128Hasher {
  size_t operator()(const Fprint128& v) const {
    return static_cast<size_t>(v.low64);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_FINGERPRINT_H_
