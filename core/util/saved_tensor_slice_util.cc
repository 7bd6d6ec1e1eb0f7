// SPDX-License-Identifier: Apache-2.0
#include "core/util/saved_tensor_slice_util.h"

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/lib/core/errors.h"
#include "core/lib/strings/ordered_code.h"

namespace tensorwright {
namespace checkpoint {

std::string EncodeTensorNameSlice(const std::string& name,
                                  const TensorSlice& slice) {
  using strings::OrderedCode;
  std::string key;
  // Leaves room for another kind of key, should there ever be one.
  OrderedCode::WriteNumIncreasing(&key, 0);
  OrderedCode::WriteString(&key, name);
  OrderedCode::WriteNumIncreasing(&key, static_cast<uint64_t>(slice.dims()));
  for (int d = 0; d < slice.dims(); ++d) {
    OrderedCode::WriteSignedNumIncreasing(&key, slice.start(d));
    OrderedCode::WriteSignedNumIncreasing(&key, slice.length(d));
  }
  return key;
}

Status ParseShapeAndSlice(const std::string& text, TensorShape* shape,
                          TensorSlice* slice, TensorShape* shape_of_slice) {
  const std::vector<std::string> parts = absl::StrSplit(text, ' ');
  std::vector<int64_t> sizes;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    int64_t size;
    if (!absl::SimpleAtoi(parts[i], &size)) {
      return errors::InvalidArgument("'", parts[i], "' is no size, in the ",
                                     "shape and slice '", text, "'");
    }
    sizes.push_back(size);
  }
  Status s = parts.size() < 2
                 ? errors::InvalidArgument("it should be sizes and a slice")
                 : TensorShape::BuildTensorShape(sizes, shape);
  if (s.ok()) s = TensorSlice::Parse(parts.back(), slice);
  if (s.ok()) s = slice->SliceTensorShape(*shape, shape_of_slice);
  if (s.ok()) return s;
  return errors::WithMessage(
      s, absl::StrCat("the shape and slice '", text, "': ", s.error_message()));
}

Status PartToSave(const std::string& name, const std::string& text,
                  const TensorShape& shape, TensorShape* full_shape,
                  TensorSlice* slice) {
  if (text.empty()) {
    *full_shape = shape;
    *slice = TensorSlice(shape.dims());
    return OkStatus();
  }
  TensorShape of_slice;
  TF_RETURN_IF_ERROR(ParseShapeAndSlice(text, full_shape, slice, &of_slice));
  if (of_slice == shape) return OkStatus();
  return errors::InvalidArgument("the slice '", text, "' of '", name,
                                 "' has shape ", of_slice.DebugString(),
                                 ", its tensor ", shape.DebugString());
}

bool IsFullSlice(const TensorSlice& slice, const TensorShape& shape) {
  if (slice.IsFull()) return true;
  if (slice.dims() != shape.dims()) return false;
  for (int d = 0; d < slice.dims(); ++d) {
    if (slice.IsFullAt(d)) continue;
    if (slice.start(d) != 0 || slice.length(d) != shape.dim_size(d)) {
      return false;
    }
  }
  return true;
}

}  // namespace checkpoint
}  // namespace tensorwright
