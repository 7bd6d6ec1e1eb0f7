// SPDX-License-Identifier: Apache-2.0
// gtl::FlatMap and FlatSet, TensorFlow's names for abseil's hash tables.
#ifndef TENSORWRIGHT_CORE_LIB_GTL_FLATMAP_H_
#define TENSORWRIGHT_CORE_LIB_GTL_FLATMAP_H_

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace tensorwright {
namespace gtl {

template <typename Key, typename Value, typename... Rest>
using FlatMap = absl::flat_hash_map<Key, Value, Rest...>;
template <typename Key, typename... Rest>
using FlatSet = absl::flat_hash_set<Key, Rest...>;

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GTL_FLATMAP_H_
