// SPDX-License-Identifier: Apache-2.0
// Helpers that the sources of tensor_shape.h share; for them only.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_INTERNAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_INTERNAL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "core/framework/dim_vector.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace tensor_shape_internal {

// "[2,?]".
std::string SizesString(absl::Span<const int64_t> sizes);

// "[2,?]" or "<unknown>".
std::string ProtoString(const TensorShapeProto& proto);

// Throws WrongUse: the shape has no dimension `d`.
[[noreturn]] void ThrowNoDim(const TensorShapeRep& shape, int d);

// The product of the known sizes; -1 if some size is unknown and allowed to be.
// A size 0 does not excuse an overflow of the others: [2^40, 2^40, 0] is
// refused, as it cannot be reshaped safely.
// Inline, because every change of a shape calls it.
inline Status CheckedNumElements(absl::Span<const int64_t> sizes,
                                 bool may_be_unknown, int64_t* num_elements) {
  if (sizes.size() > TensorShapeRep::MaxDimensions()) {
    return errors::InvalidArgument(
        "Shape has ", sizes.size(), " dimensions, more than the ",
        TensorShapeRep::MaxDimensions(), " that are supported");
  }
  int64_t nonzero = 1;
  bool zero = false, unknown = false;
  for (int64_t size : sizes) {
    if (size == -1 && may_be_unknown) {
      unknown = true;
    } else if (size < 0) {
      return errors::InvalidArgument("Shape ", SizesString(sizes),
                                     " has a negative dimension: ", size);
    } else if (size == 0) {
      zero = true;
    } else if (__builtin_mul_overflow(nonzero, size, &nonzero)) {
      return errors::InvalidArgument(
          "Shape ", SizesString(sizes),
          " would have more than 2**63 - 1 elements");
    }
  }
  *num_elements = unknown ? -1 : zero ? 0 : nonzero;
  return OkStatus();
}

// The sizes of a proto whose rank is known.
inline DimVector SizesOf(const TensorShapeProto& proto) {
  DimVector sizes;
  for (const auto& dim : proto.dim()) sizes.push_back(dim.size());
  return sizes;
}

}  // namespace tensor_shape_internal
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_INTERNAL_H_
