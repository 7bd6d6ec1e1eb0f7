// SPDX-License-Identifier: Apache-2.0
// gtl::optional, TensorFlow's name for std::optional.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_OPTIONAL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_OPTIONAL_H_

#include <optional>

namespace tensorwright {
namespace gtl {

using std::make_optional;
using std::nullopt;
using std::optional;

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_OPTIONAL_H_
