// SPDX-License-Identifier: Apache-2.0
// Names of the values in variants.
#include "core/framework/variant.h"

#include <cxxabi.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace tensorwright {
namespace variant_internal {

std::string Demangled(const char* mangled_name) {
  int status = 0;
  char* name = abi::__cxa_demangle(mangled_name, nullptr, nullptr, &status);
  std::string out = status == 0 ? name : mangled_name;
  std::free(name);
  return out;
}

}  // namespace variant_internal

std::string Variant::DebugString() const {
  if (is_empty()) return "Variant<type: [empty]>";
  return absl::StrCat("Variant<type: ", TypeName(),
                      " value: ", holder_->DebugString(), ">");
}

}  // namespace tensorwright
