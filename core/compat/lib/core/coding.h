// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's coding.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CODING_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CODING_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "core/lib/core/coding.h"

namespace tensorwright {
namespace core {

// Each reads a number from [p, limit) and returns the end of it, or null if
// there is none.
inline const char* GetVarint32Ptr(const char* p, const char* limit,
                                  uint32_t* value) {
  absl::string_view rest(p, static_cast<size_t>(limit - p));
  return GetVarint32(&rest, value) ? rest.data() : nullptr;
}
inline const char* GetVarint64Ptr(const char* p, const char* limit,
                                  uint64_t* value) {
  absl::string_view rest(p, static_cast<size_t>(limit - p));
  return GetVarint64(&rest, value) ? rest.data() : nullptr;
}

}  // namespace core
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CODING_H_
