// SPDX-License-Identifier: Apache-2.0
// Transposition as a function, for Transpose and for kernels that change
// layouts.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpKernelContext;

// Dimension i of out is dimension perm[i] of in: out has that shape and the
// dtype of in, and shares no memory with it.  perm is a permutation of
// 0..rank-1.  Works on the intra-op threads of `ctx`.  Unimplemented if there
// are no tensors of that dtype.
Status DoTranspose(OpKernelContext* ctx, const Tensor& in,
                   absl::Span<const int32_t> perm, Tensor* out);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_TRANSPOSE_OP_H_
