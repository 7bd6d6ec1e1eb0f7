// SPDX-License-Identifier: Apache-2.0
// The objects that the handles of shape_inference.h point to; for its sources
// only. Immutable, made and owned by one InferenceContext, gone with it.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_INTERNAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_INTERNAL_H_

#include <cstdint>

#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace shape_inference {

// Both live in the context's arena, which never calls destructors.
class Dimension {
 public:
  explicit Dimension(int64_t value) : value(value) {}
  const int64_t value;  // -1: unknown.
};

// A rank and that many handles, which the arena owns, too; `dims` is not read
// if the rank is unknown.
class Shape {
 public:
  Shape(int32_t rank, const DimensionHandle* dims) : rank(rank), dims(dims) {}
  const int32_t rank;  // -1: unknown.
  const DimensionHandle* const dims;
};

}  // namespace shape_inference
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_INTERNAL_H_
