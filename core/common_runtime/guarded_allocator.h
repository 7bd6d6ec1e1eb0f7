// SPDX-License-Identifier: Apache-2.0
// An allocator that finds kernels that leave their buffers, for tests of ops.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_GUARDED_ALLOCATOR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_GUARDED_ALLOCATOR_H_

#include "core/framework/allocator.h"

namespace tensorwright {

// Each buffer has pages of its own between two that nobody may touch.  The
// environment variable TENSORWRIGHT_GUARD_PAGES says where it lies there:
//   "end"    as far behind as its alignment allows, so that whoever reads or
//            writes behind it is ended by a SIGSEGV; or, if that is within the
//            alignment, by the next point;
//   "begin"  at the beginning of the first page, so that whoever reads or
//            writes before it is ended likewise.
//   "heap"   in the C library's heap instead, each by itself and no larger than
//            asked for: there AddressSanitizer, or another tool that replaces
//            malloc, sees each byte behind it.  Nothing here is checked then.
// Bytes of the pages that are not the buffer's have a pattern: if it has
// changed when the buffer is freed, the process says so and aborts.
//
// Null if the variable is not set.  Otherwise never destroyed; thread safe.
// Each allocation takes some microseconds.
Allocator* GuardedAllocator();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_GUARDED_ALLOCATOR_H_
