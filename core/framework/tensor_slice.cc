// SPDX-License-Identifier: Apache-2.0
// Boxes: reading, printing, intersecting.
#include "core/framework/tensor_slice.h"

#include <algorithm>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/framework/tensor_slice.pb.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

Status CheckExtent(int64_t start, int64_t length) {
  if (start < 0 || length < 0 ||
      start > std::numeric_limits<int64_t>::max() - length) {
    return errors::InvalidArgument("TensorSlice: no extent starts at ", start,
                                   " and has length ", length);
  }
  return OkStatus();
}

}  // namespace

TensorSlice::TensorSlice(
    std::initializer_list<std::pair<int64_t, int64_t>> extents)
    : extents_(extents) {}

TensorSlice::TensorSlice(const TensorSliceProto& proto) {
  // Has no dimensions if the proto is wrong.
  BuildTensorSlice(proto, this).IgnoreError();
}

Status TensorSlice::BuildTensorSlice(const TensorSliceProto& proto,
                                     TensorSlice* out) {
  out->Clear();
  TensorSlice made;
  for (const auto& e : proto.extent()) {
    const bool whole = !e.has_length();
    if (!whole) TF_RETURN_IF_ERROR(CheckExtent(e.start(), e.length()));
    made.extents_.emplace_back(whole ? 0 : e.start(),
                               whole ? kFullExtent : e.length());
  }
  *out = std::move(made);
  return OkStatus();
}

Status TensorSlice::Parse(const std::string& text, TensorSlice* out) {
  out->Clear();
  TensorSlice made;
  for (absl::string_view part :
       absl::StrSplit(text, ':', absl::SkipWhitespace())) {
    if (part == "-") {
      made.extents_.emplace_back(0, kFullExtent);
      continue;
    }
    const std::vector<absl::string_view> numbers = absl::StrSplit(part, ',');
    int64_t start, length;
    if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &start) ||
        !absl::SimpleAtoi(numbers[1], &length)) {
      return errors::InvalidArgument(
          "TensorSlice: '", part, "' in '", text,
          "' is neither '-' nor a start and a length, such as '0,10'");
    }
    TF_RETURN_IF_ERROR(CheckExtent(start, length));
    if (length == 0) {
      return errors::InvalidArgument("TensorSlice: '", part, "' in '", text,
                                     "' has no length");
    }
    made.extents_.emplace_back(start, length);
  }
  *out = std::move(made);
  return OkStatus();
}

TensorSlice TensorSlice::ParseOrDie(const std::string& text) {
  TensorSlice out;
  TF_CHECK_OK(Parse(text, &out));
  return out;
}

void TensorSlice::Extend(int dim) {
  if (dim > dims()) extents_.resize(dim, {0, kFullExtent});
}

bool TensorSlice::IsFull() const {
  for (int d = 0; d < dims(); ++d) {
    if (!IsFullAt(d)) return false;
  }
  return true;
}

void TensorSlice::AsProto(TensorSliceProto* proto) const {
  proto->Clear();
  for (int d = 0; d < dims(); ++d) {
    auto* e = proto->add_extent();
    if (IsFullAt(d)) continue;
    e->set_start(start(d));
    e->set_length(length(d));
  }
}

std::string TensorSlice::DebugString() const {
  std::string text;
  for (int d = 0; d < dims(); ++d) {
    if (d > 0) text += ":";
    if (IsFullAt(d)) {
      text += "-";
    } else {
      absl::StrAppend(&text, start(d), ",", length(d));
    }
  }
  return text;
}

bool TensorSlice::Intersect(const TensorSlice& other,
                            TensorSlice* result) const {
  if (result != nullptr) result->Clear();
  if (dims() != other.dims()) return false;
  TensorSlice both(dims());
  for (int d = 0; d < dims(); ++d) {
    if (IsFullAt(d)) {
      both.extents_[d] = other.extents_[d];
    } else if (other.IsFullAt(d)) {
      both.extents_[d] = extents_[d];
    } else {
      const int64_t from = std::max(start(d), other.start(d));
      const int64_t to = std::min(end(d), other.end(d));
      if (from >= to) return false;
      both.extents_[d] = {from, to - from};
    }
  }
  if (result != nullptr) *result = std::move(both);
  return true;
}

Status TensorSlice::SliceTensorShape(const TensorShape& shape,
                                     TensorShape* result_shape) const {
  result_shape->Clear();
  if (shape.dims() != dims()) {
    return errors::InvalidArgument("TensorSlice ", DebugString(), " has rank ",
                                   dims(), ", but the shape is ",
                                   shape.DebugString());
  }
  TensorShape result;
  for (int d = 0; d < dims(); ++d) {
    if (!IsFullAt(d) && end(d) > shape.dim_size(d)) {
      return errors::InvalidArgument("TensorSlice ", DebugString(),
                                     " sticks out of shape ",
                                     shape.DebugString(), " in dimension ", d);
    }
    result.AddDim(IsFullAt(d) ? shape.dim_size(d) : length(d));
  }
  *result_shape = result;
  return OkStatus();
}

void TensorSlice::UpdateToCover(const TensorSlice& other) {
  CHECK_EQ(dims(), other.dims());
  for (int d = 0; d < dims(); ++d) {
    if (IsFullAt(d)) continue;
    if (other.IsFullAt(d)) {
      extents_[d] = {0, kFullExtent};
    } else {
      const int64_t to = std::max(end(d), other.end(d));
      const int64_t from = std::min(start(d), other.start(d));
      extents_[d] = {from, to - from};
    }
  }
}

}  // namespace tensorwright
