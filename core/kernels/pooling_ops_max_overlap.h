// SPDX-License-Identifier: Apache-2.0
// The inner loop of the gradient of max pools whose windows overlap, with the
// widest vectors the processor has (Highway, chosen at run time).
#ifndef TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_MAX_OVERLAP_H_
#define TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_MAX_OVERLAP_H_

#include <cstdint>

namespace tensorwright {

// One window of `count` > 0 pixels x[k] of `n` channels: adds dy[n] to the
// gradients dx[k] where x[k] is the first maximum.  Null: a gradient that is
// not wanted.
void AddMaxPoolGrad(const float* const* x, float* const* dx, int count,
                    const float* dy, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_MAX_OVERLAP_H_
