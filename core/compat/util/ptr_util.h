// SPDX-License-Identifier: Apache-2.0
// TensorFlow 1.x's names for std::make_unique.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_PTR_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_PTR_UTIL_H_

#include <cstddef>
#include <memory>
#include <utility>

namespace tensorwright {

template <typename T>
std::unique_ptr<T> WrapUnique(T* ptr) {
  return std::unique_ptr<T>(ptr);
}
template <typename T, typename... Args>
std::unique_ptr<T> MakeUnique(Args&&... args) {
  return std::make_unique<T>(std::forward<Args>(args)...);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_PTR_UTIL_H_
