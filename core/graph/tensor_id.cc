// SPDX-License-Identifier: Apache-2.0
// TensorId.
#include "core/graph/tensor_id.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tensorwright {

std::string TensorId::ToString() const {
  if (IsControl()) return absl::StrCat("^", node());
  if (index() == 0) return std::string(node());
  return absl::StrCat(node(), ":", index());
}

TensorId ParseTensorName(absl::string_view name) {
  if (!name.empty() && name.front() == '^') return {name.substr(1), -1};
  const size_t colon = name.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return {name, 0};
  const absl::string_view digits = name.substr(colon + 1);
  if (digits.empty() || digits.size() > 9) return {name, 0};
  int index = 0;
  for (char c : digits) {
    if (!absl::ascii_isdigit(c)) return {name, 0};
    index = index * 10 + (c - '0');
  }
  return {name.substr(0, colon), index};
}

bool IsValidNodeName(absl::string_view name) {
  if (name.empty()) return false;
  const char first = name.front();
  if (!absl::ascii_isalnum(first) && first != '.' && first != '_') return false;
  for (char c : name.substr(1)) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_' && c != '-' &&
        c != '/' && c != '>' && c != '\\') {
      return false;
    }
  }
  return true;
}

}  // namespace tensorwright
