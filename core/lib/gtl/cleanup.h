// SPDX-License-Identifier: Apache-2.0
// gtl::MakeCleanup, TensorFlow's name for a closure that runs at the end of a
// scope.
#ifndef TENSORWRIGHT_CORE_LIB_GTL_CLEANUP_H_
#define TENSORWRIGHT_CORE_LIB_GTL_CLEANUP_H_

#include <utility>

#include "absl/cleanup/cleanup.h"

namespace tensorwright {
namespace gtl {

template <typename F>
auto MakeCleanup(F&& f) {
  return absl::MakeCleanup(std::forward<F>(f));
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GTL_CLEANUP_H_
