// SPDX-License-Identifier: Apache-2.0
// TensorShapeUtils: making shapes from untrusted numbers, printing several,
// comparing their ends.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_shape_internal.h"

namespace tensorwright {
namespace {

template <typename T>
DimVector Widen(absl::Span<const T> sizes) {
  DimVector wide;
  for (T size : sizes) wide.push_back(size);
  return wide;
}

template <typename Shape>
std::string JoinShapes(absl::Span<const Shape> shapes) {
  return absl::StrCat("[",
                      absl::StrJoin(shapes, ", ",
                                    [](std::string* out, const Shape& shape) {
                                      out->append(shape.DebugString());
                                    }),
                      "]");
}

}  // namespace

Status TensorShapeUtils::MakeShape(absl::Span<const int64_t> sizes,
                                   TensorShape* out) {
  return TensorShape::BuildTensorShape(sizes, out);
}
Status TensorShapeUtils::MakeShape(absl::Span<const int32_t> sizes,
                                   TensorShape* out) {
  return MakeShape(Widen(sizes), out);
}
Status TensorShapeUtils::MakeShape(const int32_t* sizes, int64_t n,
                                   TensorShape* out) {
  return MakeShape(absl::Span<const int32_t>(sizes, n), out);
}
Status TensorShapeUtils::MakeShape(const int64_t* sizes, int64_t n,
                                   TensorShape* out) {
  return MakeShape(absl::Span<const int64_t>(sizes, n), out);
}
Status TensorShapeUtils::MakeShape(absl::Span<const int64_t> sizes,
                                   PartialTensorShape* out) {
  return PartialTensorShape::BuildPartialTensorShape(sizes, out);
}
Status TensorShapeUtils::MakeShape(absl::Span<const int32_t> sizes,
                                   PartialTensorShape* out) {
  return MakeShape(Widen(sizes), out);
}
Status TensorShapeUtils::MakeShape(const int32_t* sizes, int64_t n,
                                   PartialTensorShape* out) {
  return MakeShape(absl::Span<const int32_t>(sizes, n), out);
}
Status TensorShapeUtils::MakeShape(const int64_t* sizes, int64_t n,
                                   PartialTensorShape* out) {
  return MakeShape(absl::Span<const int64_t>(sizes, n), out);
}

std::string TensorShapeUtils::ShapeListString(
    absl::Span<const TensorShape> shapes) {
  return JoinShapes(shapes);
}
std::string TensorShapeUtils::ShapeListString(
    absl::Span<const PartialTensorShape> shapes) {
  return JoinShapes(shapes);
}

bool TensorShapeUtils::StartsWith(const TensorShape& shape,
                                  const TensorShape& prefix) {
  const auto s = shape.dim_sizes(), p = prefix.dim_sizes();
  return s.size() >= p.size() && s.first(p.size()) == p;
}

bool TensorShapeUtils::EndsWith(const TensorShape& shape,
                                const TensorShape& suffix) {
  const auto s = shape.dim_sizes(), p = suffix.dim_sizes();
  return s.size() >= p.size() && s.last(p.size()) == p;
}

Status TensorShapeUtils::NumElements(absl::Span<const int64_t> sizes,
                                     int64_t* n) {
  return tensor_shape_internal::CheckedNumElements(sizes, false, n);
}

}  // namespace tensorwright
