// SPDX-License-Identifier: Apache-2.0
// Small helpers for text.
#ifndef TENSORWRIGHT_CORE_UTIL_UTIL_H_
#define TENSORWRIGHT_CORE_UTIL_UTIL_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/tensor_shape.h"

namespace tensorwright {

// "a" of "a/b/c": the part before the first slash of a node's name.
absl::string_view NodeNamePrefix(absl::string_view op_name);

// "[1,0]": the position of the `flat`-th element; "" in a scalar.
std::string SliceDebugString(const TensorShape& shape, int64_t flat);

// Bytes as hexadecimal numbers, for logs.
std::string PrintMemory(const char* ptr, size_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_UTIL_H_
