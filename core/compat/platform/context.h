// SPDX-License-Identifier: Apache-2.0
// The context of a request, which follows its work into other threads; there is
// none here.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_CONTEXT_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_CONTEXT_H_

namespace tensorwright {

enum class ContextKind { kDefault, kThread };

class Context {
 public:
  Context() = default;
  explicit Context(ContextKind) {}
};

class WithContext {
 public:
  explicit WithContext(const Context&) {}
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_CONTEXT_H_
