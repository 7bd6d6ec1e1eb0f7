// SPDX-License-Identifier: Apache-2.0
// A source that Highway compiles once per instruction set begins like this:
//
//   #include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
//   // further *-inl.h
//   HWY_BEFORE_NAMESPACE();
//   namespace tensorwright {
//   namespace HWY_NAMESPACE { ... functions ... }
//   }  // namespace tensorwright
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   ... HWY_EXPORT(Function); HWY_DYNAMIC_DISPATCH(Function)(arguments) ...
//   #endif
//
// This file includes the source again for each set but the last, so code that
// may occur only once must not come before HWY_ONCE without a guard.  Only the
// file given to the compiler may use it, since __BASE_FILE__ names that; and it
// has no include guard, since each inclusion is another set.

// Each set costs compile time; these serve the processors in use, and the last
// one any x86-64.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE __BASE_FILE__
// The order matters: foreach_target.h includes the source again.
// clang-format off
#include "hwy/foreach_target.h"  // IWYU pragma: export
#include "hwy/highway.h"         // IWYU pragma: export
// clang-format on
