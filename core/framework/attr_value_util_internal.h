// SPDX-License-Identifier: Apache-2.0
// Helpers that the sources of attr_value_util.h share; for them only.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_ATTR_VALUE_UTIL_INTERNAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_ATTR_VALUE_UTIL_INTERNAL_H_

#include <algorithm>
#include <string>
#include <vector>

namespace tensorwright {
namespace attr_value_util_internal {

// The keys of a proto map, which has no order, by name.
template <typename Map>
std::vector<std::string> SortedKeys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace attr_value_util_internal
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_ATTR_VALUE_UTIL_INTERNAL_H_
