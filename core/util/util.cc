// SPDX-License-Identifier: Apache-2.0
// Names, positions and bytes as text.
#include "core/util/util.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tensorwright {

absl::string_view NodeNamePrefix(absl::string_view op_name) {
  return op_name.substr(0, op_name.find('/'));
}

std::string SliceDebugString(const TensorShape& shape, int64_t flat) {
  if (shape.dims() == 0) return "";
  std::vector<int64_t> position(shape.dims());
  for (int d = shape.dims() - 1; d >= 0; --d) {
    const int64_t size = shape.dim_size(d);
    // No element of an empty shape has a position; the number is shown as it
    // is.
    position[d] = d == 0 || size == 0 ? flat : flat % size;
    if (size > 0) flat /= size;
  }
  return absl::StrCat("[", absl::StrJoin(position, ","), "]");
}

std::string PrintMemory(const char* ptr, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : " ",
                    absl::Hex(static_cast<uint8_t>(ptr[i]), absl::kZeroPad2));
  }
  return out;
}

}  // namespace tensorwright
