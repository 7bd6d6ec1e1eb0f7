// SPDX-License-Identifier: Apache-2.0
// Kernels in sessions that promise the same bits in each run, with any number
// of threads (docs/policy.md).
//
// A loop over ParallelFor keeps the promise, as long as each element is
// computed by one call.  Sums that threads share do not: there, a kernel asks
// MustRepeat and divides the work into pieces by its sizes alone.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_REPEATABLE_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_REPEATABLE_H_

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Has the session of this kernel promised that?  Some nanoseconds.
bool MustRepeat(const OpKernelContext* ctx);

// OK unless MustRepeat: then PermissionDenied, "... is not allowed: `why`, and
// the policy ...".  For what only inputs tell; else the policy refuses the node
// before it runs (session_policy.h).
Status RefuseIfMustRepeat(const OpKernelContext* ctx, absl::string_view why);

// The least work, in floating-point operations, that is divided into pieces; as
// much as a team of threads is asked for.
inline constexpr double kMinFlopsForPieces = 4e6;

// Into how many pieces work of `flops` is divided, at most `most`: as many as
// each still have enough to do.
int64_t PiecesOf(double flops, int64_t most);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_REPEATABLE_H_
