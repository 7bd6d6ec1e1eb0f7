// SPDX-License-Identifier: Apache-2.0
// Sizes of pools.

#include "core/kernels/nn/pooling_ops.h"

#include "absl/types/span.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

namespace {

TensorShape ImageShape(const PoolDimensions& d, int64_t WindowDim::*size) {
  const int64_t space[] = {d.planes.*size, d.rows.*size, d.cols.*size};
  return ShapeFromFormat(d.format, d.batch,
                         absl::MakeConstSpan(space).subspan(!d.has_planes),
                         d.depth.*size);
}

}  // namespace

TensorShape PoolDimensions::InputShape() const {
  return ImageShape(*this, &WindowDim::input);
}
TensorShape PoolDimensions::OutputShape() const {
  return ImageShape(*this, &WindowDim::output);
}

Status ComputePoolDimensions(const WindowAttrs& attrs, const TensorShape& input,
                             PoolDimensions* dims) {
  const int rank = attrs.rank;
  if (input.dims() != rank) {
    return errors::InvalidArgument(attrs.op, ": tensor_in must be ", rank,
                                   "-dimensional, got ", input.DebugString());
  }
  dims->format = attrs.format;
  dims->batch = input.dim_size(0);
  dims->has_planes = rank == 5;
  const auto compute = [&](int index, WindowDim* window) {
    return attrs.ComputeWindow(index, input.dim_size(index), attrs.ksize[index],
                               window);
  };
  int index = attrs.SpatialIndex(0);
  if (dims->has_planes) {
    TF_RETURN_IF_ERROR(compute(index++, &dims->planes));
  }
  TF_RETURN_IF_ERROR(compute(index++, &dims->rows));
  TF_RETURN_IF_ERROR(compute(index, &dims->cols));
  return compute(attrs.DepthIndex(), &dims->depth);
}

}  // namespace tensorwright
