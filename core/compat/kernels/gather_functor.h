// SPDX-License-Identifier: Apache-2.0
// Slices of a tensor, picked by index.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_GATHER_FUNCTOR_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_GATHER_FUNCTOR_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/compat/util/work_sharder.h"
#include "core/framework/bounds_check.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {
namespace functor {

// out[b, i, :] = params[b, indices[i], :].  Returns -1, or the position of an
// index that is out of range; `out` then has undefined contents.
template <typename Device, typename T, typename Index>
struct GatherFunctor {
  int64_t operator()(OpKernelContext* ctx,
                     typename TTypes<T, 3>::ConstTensor params,
                     typename TTypes<Index>::ConstFlat indices,
                     typename TTypes<T, 3>::Tensor out) {
    const int64_t batches = params.dimension(0), limit = params.dimension(1);
    const int64_t slice = params.dimension(2), picked = indices.size();
    std::atomic<int64_t> bad{-1};
    ParallelFor(ctx, batches * picked, slice, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        const int64_t b = at / picked, i = at % picked;
        const Index index = internal::SubtleMustCopy(indices(i));
        if (!FastBoundsCheck(index, limit)) {
          bad = i;
          return;
        }
        std::copy_n(params.data() + (b * limit + index) * slice, slice,
                    out.data() + at * slice);
      }
    });
    return bad;
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_GATHER_FUNCTOR_H_
