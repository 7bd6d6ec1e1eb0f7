// SPDX-License-Identifier: Apache-2.0
// Sums of a variable and a value on a GPU.
#ifndef TENSORWRIGHT_CORE_KERNELS_STATE_DENSE_UPDATE_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_STATE_DENSE_UPDATE_OPS_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;

namespace tensorwright {

// Enqueues ref[i] += x[i], or -= if `subtracts`, 0 <= i < n.  T: Half,
// Bfloat16, float, double, int64.
template <typename T>
Status GpuUpdate(CUstream_st* stream, bool subtracts, const void* x, int64_t n,
                 void* ref);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_STATE_DENSE_UPDATE_OPS_GPU_H_
