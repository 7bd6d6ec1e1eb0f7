// SPDX-License-Identifier: Apache-2.0
// What a source says that Highway compiles once per instruction set:
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
// It has this file include the source again for each set but the last, so
// nothing that may stand only once goes before HWY_ONCE without a guard.  Only
// for the file that the compiler is given, as that is what __BASE_FILE__ names;
// and without an include guard, as each inclusion is another set.

// Each set costs compile time; these serve what is in use, and the last one any
// x86-64.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE __BASE_FILE__
// The order matters: foreach_target.h includes the source again.
// clang-format off
#include "hwy/foreach_target.h"  // IWYU pragma: export
#include "hwy/highway.h"         // IWYU pragma: export
// clang-format on
