// SPDX-License-Identifier: Apache-2.0
// Checked arithmetic of shapes.
#include "core/framework/tensor_shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

std::string SizesString(absl::Span<const int64_t> sizes) {
  return absl::StrCat("[",
                      absl::StrJoin(sizes, ",",
                                    [](std::string* out, int64_t size) {
                                      size < 0 ? absl::StrAppend(out, "?")
                                               : absl::StrAppend(out, size);
                                    }),
                      "]");
}

[[noreturn]] void ThrowNoDim(const TensorShapeRep& shape, int d) {
  throw WrongUse(
      absl::StrCat("shape ", shape.DebugString(), " has no dimension ", d));
}

// The product of the known sizes; -1 if some size is unknown and allowed to be.
// A size 0 does not excuse an overflow of the others: [2^40, 2^40, 0] is
// refused, as it cannot be reshaped safely.
Status CheckedNumElements(absl::Span<const int64_t> sizes, bool may_be_unknown,
                          int64_t* num_elements) {
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

template <typename Proto>
DimVector SizesOf(const Proto& proto) {
  DimVector sizes;
  for (const auto& dim : proto.dim()) sizes.push_back(dim.size());
  return sizes;
}

template <typename T>
DimVector Widen(absl::Span<const T> sizes) {
  DimVector wide;
  for (T size : sizes) wide.push_back(size);
  return wide;
}

std::string ProtoString(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) return "<unknown>";
  return SizesString(SizesOf(proto));
}

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
  tensorwright::ThrowNoDim(*this, d);
}

void TensorShape::ThrowNotOfRank(int rank) const {
  throw WrongUse(absl::StrCat("shape ", DebugString(), " is seen as one of ",
                              rank, " dimensions"));
}

// ---- PartialTensorShape -----------------------------------------------------

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

// ---- TensorShapeUtils -------------------------------------------------------

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

namespace {
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
  return CheckedNumElements(sizes, false, n);
}

}  // namespace tensorwright
