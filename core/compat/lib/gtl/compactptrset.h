// SPDX-License-Identifier: Apache-2.0
// A set of pointers.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_COMPACTPTRSET_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_COMPACTPTRSET_H_

#include "absl/container/flat_hash_set.h"

namespace tensorwright {
namespace gtl {

template <typename T>
using CompactPointerSet = absl::flat_hash_set<T>;

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_COMPACTPTRSET_H_
