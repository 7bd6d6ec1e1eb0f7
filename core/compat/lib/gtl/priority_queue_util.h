// SPDX-License-Identifier: Apache-2.0
// An operation that std::priority_queue lacks.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_PRIORITY_QUEUE_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_PRIORITY_QUEUE_UTIL_H_

#include <queue>
#include <utility>

namespace tensorwright {
namespace gtl {

// Removes the top and returns it, without a copy.
template <typename T, typename Container, typename Compare>
T ConsumeTop(std::priority_queue<T, Container, Compare>* queue) {
  // The moved-from top breaks the order, but it is popped at once.
  T top = std::move(const_cast<T&>(queue->top()));
  queue->pop();
  return top;
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_PRIORITY_QUEUE_UTIL_H_
