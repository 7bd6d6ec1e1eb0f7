// SPDX-License-Identifier: Apache-2.0
// gtl::optional, TensorFlow's name for std::optional; abseil's before C++17.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_OPTIONAL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_OPTIONAL_H_

#if __cplusplus >= 201703L
#include <optional>
#else
#include "absl/types/optional.h"
#endif

namespace tensorwright {
namespace gtl {

#if __cplusplus >= 201703L
using std::make_optional;
using std::nullopt;
using std::optional;
#else
using absl::make_optional;
using absl::nullopt;
using absl::optional;
#endif

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_OPTIONAL_H_
