// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of UnsortedSegmentSum and its kin, for kernels of all
// devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_SEGMENT_REDUCTION_OPS_UNSORTED_SHAPES_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_SEGMENT_REDUCTION_OPS_UNSORTED_SHAPES_H_

#include <cstdint>
#include <string>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"

namespace tensorwright {

// The number of segments, the elements of a row of data, and the output's
// shape. `num_segments` is in the host's memory.
inline Status UnsortedSegmentShape(const std::string& op,
                                   const TensorShape& data,
                                   const TensorShape& ids,
                                   const Tensor& num_segments,
                                   int64_t* segments, int64_t* row,
                                   TensorShape* shape) {
  if (num_segments.dims() != 0) {
    return errors::InvalidArgument(op,
                                   ": num_segments should be a scalar, not "
                                   "shape ",
                                   num_segments.shape().DebugString());
  }
  *segments = IntOf(num_segments);
  if (*segments < 0) {
    return errors::InvalidArgument(op, ": Input num_segments == ", *segments,
                                   " must not be negative.");
  }
  if (!TensorShapeUtils::StartsWith(data, ids)) {
    return errors::InvalidArgument(
        op, ": data.shape = ", data.DebugString(),
        " does not start with segment_ids.shape = ", ids.DebugString());
  }
  *row = 1;
  TF_RETURN_IF_ERROR(shape->AddDimWithStatus(*segments));
  for (int i = ids.dims(); i < data.dims(); ++i) {
    TF_RETURN_IF_ERROR(shape->AddDimWithStatus(data.dim_size(i)));
    *row *= data.dim_size(i);
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_SEGMENT_REDUCTION_OPS_UNSORTED_SHAPES_H_
