// SPDX-License-Identifier: Apache-2.0
// TensorShape: checked arithmetic on shapes that are fully known.
#include "core/framework/tensor_shape.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_shape_internal.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace tensor_shape_internal {

std::string SizesString(absl::Span<const int64_t> sizes) {
  return absl::StrCat("[",
                      absl::StrJoin(sizes, ",",
                                    [](std::string* out, int64_t size) {
                                      size < 0 ? absl::StrAppend(out, "?")
                                               : absl::StrAppend(out, size);
                                    }),
                      "]");
}

std::string ProtoString(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) return "<unknown>";
  return SizesString(SizesOf(proto));
}

void ThrowNoDim(const TensorShapeRep& shape, int d) {
  throw WrongUse(
      absl::StrCat("shape ", shape.DebugString(), " has no dimension ", d));
}

}  // namespace tensor_shape_internal

namespace {

using tensor_shape_internal::CheckedNumElements;
using tensor_shape_internal::ProtoString;
using tensor_shape_internal::SizesOf;
using tensor_shape_internal::SizesString;

}  // namespace

// ---- TensorShapeRep ---------------------------------------------------------

Status TensorShapeRep::CheckValid() const {
  if (IsValid()) return OkStatus();
  int64_t unused;
  TF_RETURN_IF_ERROR(CheckedNumElements(dims_, false, &unused));
  return errors::InvalidArgument("Shape ", DebugString(), " is not valid");
}

std::string TensorShapeRep::DebugString() const {
  return unknown_rank_ ? "<unknown>" : SizesString(dims_);
}

void TensorShapeRep::Clear() {
  dims_.clear();
  num_elements_ = 1;
  unknown_rank_ = false;
}

void TensorShapeRep::AddSize(int64_t size, bool may_be_unknown) {
  if (unknown_rank_) return;
  dims_.push_back(size);
  RecomputeNumElements(may_be_unknown);
}

void TensorShapeRep::RecomputeNumElements(bool may_be_unknown) {
  if (unknown_rank_) {
    num_elements_ = -1;
  } else if (!CheckedNumElements(dims_, may_be_unknown, &num_elements_).ok()) {
    num_elements_ = kInvalid;
  }
}

// ---- TensorShape ------------------------------------------------------------

TensorShape::TensorShape(absl::Span<const int64_t> sizes) {
  dims_.assign(sizes);
  RecomputeNumElements(/*may_be_unknown=*/false);
}

TensorShape::TensorShape(const TensorShapeProto& proto) {
  dims_ = SizesOf(proto);
  RecomputeNumElements(/*may_be_unknown=*/false);
  if (proto.unknown_rank()) num_elements_ = kInvalid;
}

bool TensorShape::IsValid(const TensorShapeProto& proto) {
  return IsValidShape(proto).ok();
}

Status TensorShape::IsValidShape(const TensorShapeProto& proto) {
  TensorShape unused;
  return BuildTensorShape(proto, &unused);
}

Status TensorShape::BuildTensorShape(absl::Span<const int64_t> sizes,
                                     TensorShape* out) {
  int64_t num_elements;
  TF_RETURN_IF_ERROR(CheckedNumElements(sizes, false, &num_elements));
  out->dims_.assign(sizes);
  out->num_elements_ = num_elements;
  return OkStatus();
}

Status TensorShape::BuildTensorShape(const TensorShapeProto& proto,
                                     TensorShape* out) {
  if (proto.unknown_rank()) {
    return errors::InvalidArgument("Shape ", ProtoString(proto),
                                   " is not fully defined");
  }
  return BuildTensorShape(SizesOf(proto), out);
}

Status TensorShape::AddDimWithStatus(int64_t size) {
  return InsertDimWithStatus(dims(), size);
}

void TensorShape::AppendShape(const TensorShape& shape) {
  // A copy: a shape may be appended to itself.
  dims_.insert(dims_.size(), DimVector(shape.dims_));
  RecomputeNumElements(/*may_be_unknown=*/false);
}

Status TensorShape::AppendShapeWithStatus(const TensorShape& shape) {
  TensorShape longer = *this;
  longer.AppendShape(shape);
  TF_RETURN_IF_ERROR(longer.CheckValid());
  *this = std::move(longer);
  return OkStatus();
}

void TensorShape::InsertDim(int d, int64_t size) {
  if (d < 0 || d > dims()) ThrowNoDim(d);
  dims_.insert(d, {size});
  RecomputeNumElements(/*may_be_unknown=*/false);
}

Status TensorShape::InsertDimWithStatus(int d, int64_t size) {
  if (d < 0 || d > dims()) {
    return errors::InvalidArgument("Cannot insert a dimension at ", d,
                                   " of shape ", DebugString());
  }
  TensorShape longer = *this;
  longer.InsertDim(d, size);
  TF_RETURN_IF_ERROR(longer.CheckValid());
  *this = std::move(longer);
  return OkStatus();
}

void TensorShape::set_dim(int d, int64_t size) {
  if (d < 0 || d >= dims()) ThrowNoDim(d);
  dims_[d] = size;
  RecomputeNumElements(/*may_be_unknown=*/false);
}

Status TensorShape::SetDimWithStatus(int d, int64_t size) {
  if (d < 0 || d >= dims()) {
    return errors::InvalidArgument("Shape ", DebugString(),
                                   " has no dimension ", d);
  }
  TensorShape changed = *this;
  changed.set_dim(d, size);
  TF_RETURN_IF_ERROR(changed.CheckValid());
  *this = std::move(changed);
  return OkStatus();
}

void TensorShape::RemoveDim(int d) {
  if (d < 0 || d >= dims()) ThrowNoDim(d);
  dims_.erase(d, d + 1);
  RecomputeNumElements(/*may_be_unknown=*/false);
}

Status TensorShape::RemoveDimWithStatus(int d) {
  if (d < 0 || d >= dims()) {
    return errors::InvalidArgument("Shape ", DebugString(),
                                   " has no dimension ", d);
  }
  RemoveDim(d);
  return OkStatus();
}

void TensorShape::RemoveDimRange(int begin, int end) {
  // -1 is the position behind the last dimension.
  if (begin < 0) begin += dims() + 1;
  if (end < 0) end += dims() + 1;
  if (begin < 0 || begin > dims()) ThrowNoDim(begin);
  if (end < 0 || end > dims()) ThrowNoDim(end);
  if (begin >= end) return;
  dims_.erase(begin, end);
  RecomputeNumElements(/*may_be_unknown=*/false);
}

void TensorShape::RemoveLastDims(int n) { RemoveDimRange(dims() - n, dims()); }

void TensorShape::AsProto(TensorShapeProto* proto) const {
  proto->Clear();
  for (int64_t size : dims_) proto->add_dim()->set_size(size);
}

void TensorShape::DumpRep() const { LOG(INFO) << DebugString(); }

std::string TensorShape::DebugString(const TensorShapeProto& proto) {
  return ProtoString(proto);
}

void TensorShape::ThrowNoDim(int d) const {
  tensor_shape_internal::ThrowNoDim(*this, d);
}

void TensorShape::ThrowNotOfRank(int rank) const {
  throw WrongUse(absl::StrCat("shape ", DebugString(), " is seen as one of ",
                              rank, " dimensions"));
}

}  // namespace tensorwright
