// SPDX-License-Identifier: Apache-2.0
// Random numbers on a GPU, for the host's side of the kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_RANDOM_RANDOM_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_RANDOM_RANDOM_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/random/philox_random.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

enum class GpuDistribution { kUniform, kNormal, kTruncatedNormal };

// out[0, n) = the numbers that the CPU's kernel makes from the same place of
// the generator's stream, whatever the grid.  T: a floating-point type of Eigen
// or C++.
template <typename T>
Status GpuFillRandom(CUstream_st* stream, GpuDistribution distribution,
                     const random::PhiloxRandom& generator, int64_t n,
                     void* out);

// The same of integers in [lo, hi).
template <typename T>
Status GpuFillRandomInt(CUstream_st* stream,
                        const random::PhiloxRandom& generator, T lo, T hi,
                        int64_t n, void* out);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_RANDOM_RANDOM_OP_GPU_H_
