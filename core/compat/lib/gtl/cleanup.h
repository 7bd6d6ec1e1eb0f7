// SPDX-License-Identifier: Apache-2.0
// Code that runs when a scope is left.
//
//   auto closer = gtl::MakeCleanup([&] { Close(file); }); ... closer.release();
//   // Changes its mind.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_CLEANUP_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_CLEANUP_H_

#include <utility>

namespace tensorwright {
namespace gtl {

template <typename F>
class [[nodiscard]] Cleanup {
 public:
  Cleanup() : released_(true), f_() {}
  explicit Cleanup(F f) : released_(false), f_(std::move(f)) {}
  Cleanup(Cleanup&& other) noexcept
      : released_(other.released_), f_(other.release()) {}
  Cleanup& operator=(Cleanup&& other) noexcept {
    if (this == &other) return *this;
    if (!released_) f_();
    released_ = other.released_;
    f_ = other.release();
    return *this;
  }
  ~Cleanup() {
    if (!released_) f_();
  }

  // Returns the function, which then does not run.
  F release() {
    released_ = true;
    return std::move(f_);
  }
  bool is_released() const { return released_; }

 private:
  bool released_;
  F f_;
};

template <typename F>
Cleanup<F> MakeCleanup(F f) {
  return Cleanup<F>(std::move(f));
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_CLEANUP_H_
