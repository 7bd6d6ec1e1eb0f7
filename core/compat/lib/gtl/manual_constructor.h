// SPDX-License-Identifier: Apache-2.0
// Room for an object that is constructed and destroyed by hand.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_MANUAL_CONSTRUCTOR_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_MANUAL_CONSTRUCTOR_H_

#include <new>
#include <utility>

namespace tensorwright {
namespace gtl {

template <typename T>
class ManualConstructor {
 public:
  // Uses __builtin_launder, since std::launder is C++17.
  T* get() { return __builtin_launder(reinterpret_cast<T*>(space_)); }
  const T* get() const {
    return __builtin_launder(reinterpret_cast<const T*>(space_));
  }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }

  template <typename... Args>
  void Init(Args&&... args) {
    new (space_) T(std::forward<Args>(args)...);
  }
  void Destroy() { get()->~T(); }

 private:
  alignas(T) char space_[sizeof(T)];
};

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_MANUAL_CONSTRUCTOR_H_
