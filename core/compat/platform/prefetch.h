// SPDX-License-Identifier: Apache-2.0
// port::prefetch: asks for a cache line ahead of its use.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_PREFETCH_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_PREFETCH_H_

namespace tensorwright {
namespace port {

// Tells whether the line is used again soon: not at all, or so soon that every
// cache should keep it.
enum PrefetchHint { PREFETCH_HINT_NTA = 0, PREFETCH_HINT_T0 = 3 };

template <PrefetchHint hint>
void prefetch(const void* x) {
  __builtin_prefetch(x, 0, hint);
}

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_PREFETCH_H_
