// SPDX-License-Identifier: Apache-2.0
// Resolves x[1:5:2, ..., tf.newaxis, 3]: the arguments of StridedSlice, for its
// shape function, its kernel and its gradient's kernel.
#ifndef TENSORWRIGHT_CORE_UTIL_STRIDED_SLICE_OP_H_
#define TENSORWRIGHT_CORE_UTIL_STRIDED_SLICE_OP_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Bit i belongs to entry i of begin, end and strides.  In order of precedence:
// ellipsis (stands for as many whole dimensions as are left), new_axis (a new
// dimension of 1), shrink_axis (the one index begin[i], without its dimension),
// begin, end (that bound is ignored: from or to the dimension's edge).
struct StridedSliceMasks {
  int32_t begin = 0;
  int32_t end = 0;
  int32_t ellipsis = 0;
  int32_t new_axis = 0;
  int32_t shrink_axis = 0;
};

struct StridedSliceSpec {
  // The slice with every input dimension in place, and as the user sees it (new
  // axes in, shrunk ones out).  Sizes are -1 if begin or end is not known.
  PartialTensorShape processing_shape;
  PartialTensorShape final_shape;
  // One entry an input dimension: indices begin, begin + stride, ... lie within
  // the dimension.  Meaningful if final_shape is fully defined.
  absl::InlinedVector<int64_t, 4> begin;
  absl::InlinedVector<int64_t, 4> end;
  absl::InlinedVector<int64_t, 4> strides;
  bool is_identity = false;      // The slice is everything, in order.
  bool is_simple_slice = false;  // All strides are 1.
  // All is whole, except for a run of the first dimension.
  bool slice_dim0 = false;
};

// begin, end, strides: vectors of one length and of int16, int32 or int64;
// begin and end may be null (not known).  InvalidArgument if the lengths
// differ, a stride is 0, there are more entries than dimensions or more than
// one ellipsis, or a shrunk index is out of range.
Status ValidateStridedSliceOp(const Tensor* begin, const Tensor* end,
                              const Tensor& strides,
                              const PartialTensorShape& input_shape,
                              const StridedSliceMasks& masks,
                              StridedSliceSpec* spec);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_STRIDED_SLICE_OP_H_
