// SPDX-License-Identifier: Apache-2.0
// Resolves the arguments of StridedSlice.
#include "core/util/strided_slice_op.h"

#include <algorithm>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr int kMaxEntries = 32;  // The masks are int32.
constexpr int kNewAxis = -2;
constexpr int kShrinkAxis = -1;

int64_t At(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DT_INT16:
      return t.base<int16_t>()[i];
    case DT_INT32:
      return t.base<int32_t>()[i];
    default:
      return t.base<int64_t>()[i];
  }
}

bool Bit(int32_t mask, int i) { return (static_cast<uint32_t>(mask) >> i) & 1; }

// One input dimension's part of the slice.
struct DimSlice {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool begin_masked = true;
  bool end_masked = true;
  bool shrink = false;
};

// The entries, spread out over the input's dimensions.
struct DenseSlice {
  absl::InlinedVector<DimSlice, 4> dims;
  // The source of each dimension of the final shape: a dimension, or kNewAxis;
  // a kShrinkAxis entry leaves none.
  absl::InlinedVector<int, 4> gather;
};

Status CheckVectors(const Tensor* begin, const Tensor* end,
                    const Tensor& strides) {
  for (const Tensor* t : {begin, end, &strides}) {
    if (t == nullptr) continue;
    if (t->dims() != 1 || t->NumElements() != strides.NumElements()) {
      return errors::InvalidArgument(
          "Expected begin, end, and strides to be 1D equal size tensors, but "
          "got shapes ",
          begin == nullptr ? "?" : begin->shape().DebugString(), ", ",
          end == nullptr ? "?" : end->shape().DebugString(), ", and ",
          strides.shape().DebugString(), " instead.");
    }
  }
  if (strides.NumElements() >= kMaxEntries) {
    return errors::InvalidArgument("Only up to ", kMaxEntries - 1,
                                   " entries of begin are supported, got ",
                                   strides.NumElements());
  }
  return OkStatus();
}

Status Densify(const Tensor* begin, const Tensor* end, const Tensor& strides,
               int rank, const StridedSliceMasks& masks, DenseSlice* dense) {
  const int entries = static_cast<int>(strides.NumElements());
  // Bits beyond the entries count too, as in TensorFlow, whose masks have 32
  // bits.
  const uint32_t ellipses = static_cast<uint32_t>(masks.ellipsis);
  if ((ellipses & (ellipses - 1)) != 0) {
    return errors::InvalidArgument(
        "Multiple ellipses in slice spec not allowed");
  }
  bool ellipsis_seen = false;
  int new_axes_behind_ellipsis = 0;
  for (int i = 0; i < entries; ++i) {
    if (Bit(masks.ellipsis, i)) {
      ellipsis_seen = true;
    } else if (ellipsis_seen && Bit(masks.new_axis, i)) {
      ++new_axes_behind_ellipsis;
    }
  }

  int next = 0;  // Input dimension.
  const auto take_whole_dims_until = [&](int limit) {
    for (; next < limit; ++next) {
      dense->dims.emplace_back();
      dense->gather.push_back(next);
    }
  };
  for (int i = 0; i < entries; ++i) {
    if (Bit(masks.ellipsis, i)) {
      take_whole_dims_until(
          std::min(rank - (entries - i) + 1 + new_axes_behind_ellipsis, rank));
    } else if (Bit(masks.new_axis, i)) {
      dense->gather.push_back(kNewAxis);
    } else {
      if (next == rank) {
        return errors::InvalidArgument("Index out of range using input dim ",
                                       next, "; input has only ", rank,
                                       " dims");
      }
      DimSlice& dim = dense->dims.emplace_back();
      if (begin != nullptr) dim.begin = At(*begin, i);
      if (end != nullptr) dim.end = At(*end, i);
      dim.stride = At(strides, i);
      dim.begin_masked = Bit(masks.begin, i);
      dim.end_masked = Bit(masks.end, i);
      dim.shrink = Bit(masks.shrink_axis, i);
      dense->gather.push_back(dim.shrink ? kShrinkAxis : next);
      ++next;
    }
  }
  take_whole_dims_until(rank);
  return OkStatus();
}

// Clamps an index as written to [0, size] or, going backwards, to [-1, size -
// 1].
int64_t Clamp(int64_t index, int64_t size, int64_t stride) {
  const int64_t forward = index < 0 ? size + index : index;
  return stride > 0 ? std::clamp<int64_t>(forward, 0, size)
                    : std::clamp<int64_t>(forward, -1, size - 1);
}

// Makes begin and end of a dimension of known size canonical.
Status Canonicalize(int i, int64_t size, DimSlice* dim) {
  if (dim->shrink) {
    const int64_t index = dim->begin < 0 ? size + dim->begin : dim->begin;
    if (index < 0 || index >= size) {
      return errors::InvalidArgument("slice index ", dim->begin,
                                     " of dimension ", i, " out of bounds.");
    }
    dim->begin = index;
    dim->end = index + 1;
    dim->stride = 1;
    return OkStatus();
  }
  const bool forward = dim->stride > 0;
  dim->begin = dim->begin_masked ? (forward ? 0 : size - 1)
                                 : Clamp(dim->begin, size, dim->stride);
  dim->end = dim->end_masked ? (forward ? size : -1)
                             : Clamp(dim->end, size, dim->stride);
  return OkStatus();
}

int64_t Count(const DimSlice& dim) {
  const int64_t span = dim.end - dim.begin;
  if (span == 0 || (span < 0) != (dim.stride < 0)) return 0;
  return span / dim.stride + (span % dim.stride != 0);
}

}  // namespace

Status ValidateStridedSliceOp(const Tensor* begin, const Tensor* end,
                              const Tensor& strides,
                              const PartialTensorShape& input_shape,
                              const StridedSliceMasks& masks,
                              StridedSliceSpec* spec) {
  TF_RETURN_IF_ERROR(CheckVectors(begin, end, strides));
  if (input_shape.unknown_rank()) {
    return errors::InvalidArgument("Unexpected input_shape with unknown rank");
  }
  const int rank = input_shape.dims();
  DenseSlice dense;
  TF_RETURN_IF_ERROR(Densify(begin, end, strides, rank, masks, &dense));

  absl::InlinedVector<int64_t, 4> sizes(rank, -1);
  spec->is_identity = spec->is_simple_slice = spec->slice_dim0 = true;
  for (int i = 0; i < rank; ++i) {
    DimSlice& dim = dense.dims[i];
    if (dim.stride == 0) {
      return errors::InvalidArgument("strides[", i, "] must be non-zero");
    }
    if (dim.shrink && dim.stride < 0) {
      return errors::InvalidArgument(
          "only stride 1 allowed on non-range indexing.");
    }
    const int64_t size = input_shape.dim_size(i);
    const bool begin_known = begin != nullptr || dim.begin_masked;
    const bool end_known = end != nullptr || dim.end_masked || dim.shrink;
    if (dim.shrink && !(size >= 0 && begin != nullptr)) sizes[i] = 1;
    if (size >= 0 && begin_known && end_known &&
        !(dim.shrink && begin == nullptr)) {
      TF_RETURN_IF_ERROR(Canonicalize(i, size, &dim));
      sizes[i] = Count(dim);
    }
    const bool whole = dim.stride == 1 && size >= 0 && dim.begin == 0 &&
                       sizes[i] == size && begin_known && end_known;
    spec->is_simple_slice &= dim.stride == 1;
    spec->is_identity &= whole;
    spec->slice_dim0 &= whole || (i == 0 && dim.stride == 1);
    spec->begin.push_back(dim.begin);
    spec->end.push_back(dim.end);
    spec->strides.push_back(dim.stride);
  }

  absl::InlinedVector<int64_t, 4> final_sizes;
  for (int from : dense.gather) {
    if (from == kNewAxis) final_sizes.push_back(1);
    if (from >= 0) final_sizes.push_back(sizes[from]);
  }
  TF_RETURN_IF_ERROR(PartialTensorShape::BuildPartialTensorShape(
      absl::MakeConstSpan(sizes), &spec->processing_shape));
  return PartialTensorShape::BuildPartialTensorShape(
      absl::MakeConstSpan(final_sizes), &spec->final_shape);
}

}  // namespace tensorwright
