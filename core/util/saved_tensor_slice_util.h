// SPDX-License-Identifier: Apache-2.0
// The keys of slices, and the text in which save and restore ops name a part of
// a tensor, for both formats of checkpoints.
#ifndef TENSORWRIGHT_CORE_UTIL_SAVED_TENSOR_SLICE_UTIL_H_
#define TENSORWRIGHT_CORE_UTIL_SAVED_TENSOR_SLICE_UTIL_H_

#include <string>

#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_slice.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace checkpoint {

// The key of a tensor's slice in a table.  It begins with a zero byte, which no
// name of a tensor does.
std::string EncodeTensorNameSlice(const std::string& name,
                                  const TensorSlice& slice);
inline bool IsSliceKey(absl::string_view key) {
  return !key.empty() && key[0] == '\0';
}

// Parses text such as "2 6 0,2:3,3", which means [2, 3] of a tensor [2, 6]:
// sizes, then the slice of each dimension as in TensorSlice.  InvalidArgument
// for other text, or a slice that sticks out of the shape.
Status ParseShapeAndSlice(const std::string& text, TensorShape* shape,
                          TensorSlice* slice, TensorShape* shape_of_slice);

// Tells what a save op's text means for a tensor of `shape`: a slice of a
// tensor of *full_shape, or all of itself if the text is empty.
// InvalidArgument if the slice does not have that shape.
Status PartToSave(const std::string& name, const std::string& text,
                  const TensorShape& shape, TensorShape* full_shape,
                  TensorSlice* slice);

// Is the slice all of a tensor of that shape?
bool IsFullSlice(const TensorSlice& slice, const TensorShape& shape);

}  // namespace checkpoint
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SAVED_TENSOR_SLICE_UTIL_H_
