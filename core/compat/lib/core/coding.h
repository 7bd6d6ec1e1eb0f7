// SPDX-License-Identifier: Apache-2.0
// What TensorFlow's coding.h has and our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CODING_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_CORE_CODING_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "core/lib/core/coding.h"

namespace tensorwright {
namespace core {

// Read a number from [p, limit); where the next one begins, null for none.
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
