// SPDX-License-Identifier: Apache-2.0
// Transposition on a device, for kernels that have no OpKernelContext.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_TRANSPOSE_FUNCTOR_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_TRANSPOSE_FUNCTOR_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace Eigen {
struct ThreadPoolDevice;
}  // namespace Eigen

namespace tensorwright {

// Dimension i of `out` is dimension perm[i] of `in`; `out` has that shape and
// the dtype of `in`, and shares no memory with it.
Status TransposeOnCpu(const Tensor& in, absl::Span<const int32_t> perm,
                      Tensor* out);

template <typename Device>
Status DoTranspose(const Device&, const Tensor& in,
                   absl::Span<const int32_t> perm, Tensor* out) {
  return TransposeOnCpu(in, perm, out);
}

// Swaps the last two dimensions.
template <typename Device>
Status DoMatrixTranspose(const Device& d, const Tensor& in, Tensor* out) {
  absl::InlinedVector<int32_t, 8> perm;
  for (int i = 0; i < in.dims(); ++i) perm.push_back(i);
  if (in.dims() >= 2) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return DoTranspose(d, in, perm, out);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_TRANSPOSE_FUNCTOR_H_
