// SPDX-License-Identifier: Apache-2.0
// What std::priority_queue does not let one do.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_PRIORITY_QUEUE_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_PRIORITY_QUEUE_UTIL_H_

#include <queue>
#include <utility>

namespace tensorwright {
namespace gtl {

// Takes the top away, without a copy.
template <typename T, typename Container, typename Compare>
T ConsumeTop(std::priority_queue<T, Container, Compare>* queue) {
  // The order does not matter for what is popped at once.
  T top = std::move(const_cast<T&>(queue->top()));
  queue->pop();
  return top;
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_PRIORITY_QUEUE_UTIL_H_
