// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin on a GPU, for the host's side of the kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_ARGMAX_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_ARGMAX_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// index[o, i] = the first place at which x[o, :, i] is most extreme; a NaN
// never is.  x: [outer, n, inner]; the index has 4 or 8 bytes.
template <typename T, bool kMax>
Status GpuArg(CUstream_st* stream, const void* x, int64_t outer, int64_t n,
              int64_t inner, int64_t index_bytes, void* index);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_ARGMAX_OP_GPU_H_
