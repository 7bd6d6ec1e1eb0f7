// SPDX-License-Identifier: Apache-2.0
// Computes the shape that a reduction over given axes leaves, for all devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_AXES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_AXES_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Defined in core/kernels/lib/reduction_ops.cc; see ReductionAxes.
Status ResolveReduction(const TensorShape& shape, const Tensor& axes,
                        bool keep_dims, absl::InlinedVector<int64_t, 8>* runs,
                        TensorShape* out, int64_t* count);

struct ReductionAxes {
  // Sizes of runs of dimensions that are all kept or all reduced, by turns; the
  // first is kept, and may be 1.  One run: nothing but dimensions of 1 is
  // reduced.
  absl::InlinedVector<int64_t, 8> runs;
  TensorShape shape;  // Of the output.
  int64_t count = 1;  // Elements for each of the output.
};

// `axes` is a scalar or vector in the host's memory.  InvalidArgument if it is
// something else, out of range, or names an axis twice.
inline Status ResolveReduction(const TensorShape& shape, const Tensor& axes,
                               bool keep_dims, ReductionAxes* out) {
  return ResolveReduction(shape, axes, keep_dims, &out->runs, &out->shape,
                          &out->count);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_AXES_H_
