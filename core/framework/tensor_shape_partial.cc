// SPDX-License-Identifier: Apache-2.0
// PartialTensorShape: checked arithmetic on shapes that are known in part.
#include <algorithm>
#include <string>
#include <utility>

#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_shape_internal.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using tensor_shape_internal::CheckedNumElements;
using tensor_shape_internal::ProtoString;
using tensor_shape_internal::SizesOf;
using tensor_shape_internal::ThrowNoDim;

}  // namespace

PartialTensorShape::PartialTensorShape(absl::Span<const int64_t> sizes) {
  dims_.assign(sizes);
  RecomputeNumElements(/*may_be_unknown=*/true);
}

PartialTensorShape::PartialTensorShape(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    SetUnknownRank();
  } else {
    dims_ = SizesOf(proto);
    RecomputeNumElements(/*may_be_unknown=*/true);
  }
}

PartialTensorShape::PartialTensorShape(const TensorShape& shape) {
  dims_ = shape.dims_;
  num_elements_ = shape.num_elements_;
}

bool PartialTensorShape::IsValid(const TensorShapeProto& proto) {
  return IsValidShape(proto).ok();
}

Status PartialTensorShape::IsValidShape(const TensorShapeProto& proto) {
  PartialTensorShape unused;
  return BuildPartialTensorShape(proto, &unused);
}

Status PartialTensorShape::BuildPartialTensorShape(
    absl::Span<const int64_t> sizes, PartialTensorShape* out) {
  int64_t num_elements;
  TF_RETURN_IF_ERROR(CheckedNumElements(sizes, true, &num_elements));
  out->dims_.assign(sizes);
  out->num_elements_ = num_elements;
  out->unknown_rank_ = false;
  return OkStatus();
}

Status PartialTensorShape::BuildPartialTensorShape(
    const TensorShapeProto& proto, PartialTensorShape* out) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) {
      return errors::InvalidArgument(
          "A shape of unknown rank must have no dimensions, got ",
          proto.dim_size());
    }
    *out = PartialTensorShape();
    return OkStatus();
  }
  return BuildPartialTensorShape(SizesOf(proto), out);
}

int64_t PartialTensorShape::num_elements() const {
  return num_elements_ == kInvalid ? 0 : num_elements_;
}

int64_t PartialTensorShape::dim_size(int d) const {
  if (unknown_rank_) return -1;
  if (d < 0 || d >= dims()) ThrowNoDim(*this, d);
  return dims_[d];
}

bool PartialTensorShape::IsFullyDefined() const {
  return !unknown_rank_ && std::none_of(dims_.begin(), dims_.end(),
                                        [](int64_t size) { return size < 0; });
}

Status PartialTensorShape::AddDimWithStatus(int64_t size) {
  PartialTensorShape longer = *this;
  longer.AddDim(size);
  if (!longer.IsValid()) {
    return errors::InvalidArgument("Cannot add a dimension of size ", size,
                                   " to shape ", DebugString());
  }
  *this = std::move(longer);
  return OkStatus();
}

void PartialTensorShape::set_dim(int d, int64_t size) {
  if (d < 0 || d >= dims()) ThrowNoDim(*this, d);
  dims_[d] = size;
  RecomputeNumElements(/*may_be_unknown=*/true);
}

Status PartialTensorShape::SetDimWithStatus(int d, int64_t size) {
  if (d < 0 || d >= dims()) {
    return errors::InvalidArgument("Shape ", DebugString(),
                                   " has no dimension ", d);
  }
  PartialTensorShape changed = *this;
  changed.set_dim(d, size);
  if (!changed.IsValid()) {
    return errors::InvalidArgument("Cannot set dimension ", d, " of shape ",
                                   DebugString(), " to ", size);
  }
  *this = std::move(changed);
  return OkStatus();
}

void PartialTensorShape::RemoveDim(int d) {
  if (d < 0 || d >= dims()) ThrowNoDim(*this, d);
  dims_.erase(d, d + 1);
  RecomputeNumElements(/*may_be_unknown=*/true);
}

PartialTensorShape PartialTensorShape::Concatenate(int64_t size) const {
  PartialTensorShape out = *this;
  out.AddDim(size);
  return out;
}

PartialTensorShape PartialTensorShape::Concatenate(
    const PartialTensorShape& shape) const {
  if (unknown_rank_ || shape.unknown_rank_) return PartialTensorShape();
  PartialTensorShape out = *this;
  out.dims_.insert(out.dims_.size(), shape.dims_);
  out.RecomputeNumElements(/*may_be_unknown=*/true);
  return out;
}

Status PartialTensorShape::ConcatenateWithStatus(
    const PartialTensorShape& shape, PartialTensorShape* out) const {
  PartialTensorShape result = Concatenate(shape);
  if (!result.IsValid()) {
    return errors::InvalidArgument("Cannot join shapes ", DebugString(),
                                   " and ", shape.DebugString());
  }
  *out = std::move(result);
  return OkStatus();
}

Status PartialTensorShape::MergeWith(const PartialTensorShape& shape,
                                     PartialTensorShape* result) const {
  if (unknown_rank_) {
    *result = shape;
    return OkStatus();
  }
  if (shape.unknown_rank_) {
    *result = *this;
    return OkStatus();
  }
  if (!IsCompatibleWith(shape)) {
    return errors::InvalidArgument("Incompatible shapes: ", DebugString(),
                                   " and ", shape.DebugString());
  }
  PartialTensorShape merged = *this;
  for (int d = 0; d < dims(); ++d) {
    if (merged.dims_[d] < 0) merged.dims_[d] = shape.dims_[d];
  }
  merged.RecomputeNumElements(/*may_be_unknown=*/true);
  *result = std::move(merged);
  return OkStatus();
}

bool PartialTensorShape::IsCompatibleWith(
    const PartialTensorShape& shape) const {
  if (unknown_rank_ || shape.unknown_rank_) return true;
  return std::equal(
      dims_.begin(), dims_.end(), shape.dims_.begin(), shape.dims_.end(),
      [](int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; });
}

bool PartialTensorShape::IsCompatibleWith(const TensorShape& shape) const {
  if (unknown_rank_) return true;
  const auto sizes = shape.dim_sizes();
  return std::equal(dims_.begin(), dims_.end(), sizes.begin(), sizes.end(),
                    [](int64_t a, int64_t b) { return a < 0 || a == b; });
}

bool PartialTensorShape::IsIdenticalTo(const PartialTensorShape& shape) const {
  return unknown_rank_ == shape.unknown_rank_ && dims_ == shape.dims_;
}

bool PartialTensorShape::AsTensorShape(TensorShape* shape) const {
  if (!IsFullyDefined()) return false;
  *shape = TensorShape(absl::Span<const int64_t>(dims_));
  return shape->IsValid();
}

void PartialTensorShape::AsProto(TensorShapeProto* proto) const {
  proto->Clear();
  if (unknown_rank_) {
    proto->set_unknown_rank(true);
  } else {
    for (int64_t size : dims_) proto->add_dim()->set_size(size);
  }
}

std::string PartialTensorShape::DebugString(const TensorShapeProto& proto) {
  return ProtoString(proto);
}

}  // namespace tensorwright
