// SPDX-License-Identifier: Apache-2.0
// Intrusive reference counting for things that many owners share, such as
// buffers and resources.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_REFCOUNT_H_
#define TENSORWRIGHT_CORE_LIB_CORE_REFCOUNT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tensorwright {
namespace core {

// Starts with one reference, which belongs to the maker.  The object deletes
// itself when the last reference is given back.  Thread-safe.
class RefCounted {
 public:
  RefCounted() : ref_(1) {}
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void Ref() const { ref_.fetch_add(1, std::memory_order_relaxed); }

  // Gives a reference back; returns true if that was the last one and the
  // object is gone.
  bool Unref() const {
    // If the count is one, nobody else can make it grow, so the locked
    // instruction is skipped.
    if (ref_.load(std::memory_order_acquire) == 1 ||
        ref_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
      return true;
    }
    return false;
  }

  bool RefCountIsOne() const {
    return ref_.load(std::memory_order_acquire) == 1;
  }

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<int32_t> ref_;
};

// Gives one reference back at the end of a scope.
class ScopedUnref {
 public:
  explicit ScopedUnref(const RefCounted* object) : object_(object) {}
  ScopedUnref(const ScopedUnref&) = delete;
  ScopedUnref& operator=(const ScopedUnref&) = delete;
  ~ScopedUnref() {
    if (object_ != nullptr) object_->Unref();
  }

 private:
  const RefCounted* object_;
};

struct RefCountDeleter {
  void operator()(const RefCounted* o) const { o->Unref(); }
};

// Owns one reference.  A raw pointer given to it hands over its reference; a
// copy takes another.
template <typename T>
class RefCountPtr {
 public:
  RefCountPtr() = default;
  RefCountPtr(std::nullptr_t) {}  // NOLINT
  explicit RefCountPtr(T* p) : p_(p) {}
  RefCountPtr(const RefCountPtr& o) : p_(o.p_) {
    if (p_ != nullptr) p_->Ref();
  }
  RefCountPtr(RefCountPtr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  RefCountPtr& operator=(RefCountPtr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~RefCountPtr() { reset(); }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* release() { return std::exchange(p_, nullptr); }
  void reset(T* p = nullptr) {
    if (T* old = std::exchange(p_, p); old != nullptr) old->Unref();
  }

  friend bool operator==(const RefCountPtr& a, const RefCountPtr& b) {
    return a.p_ == b.p_;
  }
  friend bool operator==(const RefCountPtr& a, std::nullptr_t) {
    return a.p_ == nullptr;
  }

 private:
  T* p_ = nullptr;
};

// Takes one more reference to an object that somebody else owns.
template <typename T>
RefCountPtr<T> GetNewRef(T* p) {
  if (p != nullptr) p->Ref();
  return RefCountPtr<T>(p);
}

}  // namespace core
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_REFCOUNT_H_
