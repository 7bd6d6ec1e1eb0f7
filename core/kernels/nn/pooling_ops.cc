// SPDX-License-Identifier: Apache-2.0
// Attrs and sizes of pools.

#include "core/kernels/nn/pooling_ops.h"

#include <string>

#include "absl/types/span.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

Status InitPoolParameters(OpKernelConstruction* ctx, PoolParameters* params,
                          int rank) {
  std::string padding, format = "NHWC";
  TF_RETURN_IF_ERROR(ctx->GetAttr("ksize", &params->ksize));
  TF_RETURN_IF_ERROR(ctx->GetAttr("strides", &params->strides));
  TF_RETURN_IF_ERROR(ctx->GetAttr("padding", &padding));
  if (ctx->HasAttr("data_format")) {
    TF_RETURN_IF_ERROR(ctx->GetAttr("data_format", &format));
  }
  if (ctx->HasAttr("explicit_paddings")) {
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("explicit_paddings", &params->explicit_paddings));
  }
  TF_RETURN_IF_ERROR(GetPaddingFromString(padding, &params->padding));
  if (!FormatFromString(format, &params->format) ||
      params->format == FORMAT_NCHW_VECT_C) {
    return errors::InvalidArgument("Pool: Invalid data format ", format);
  }
  const size_t numbers = static_cast<size_t>(rank);
  if (params->ksize.size() != numbers || params->strides.size() != numbers) {
    return errors::InvalidArgument(
        "Pool: Sliding window ksize and strides must specify ", rank,
        " dimensions, got ", params->ksize.size(), " and ",
        params->strides.size());
  }
  if (params->ksize[0] != 1 || params->strides[0] != 1) {
    return errors::Unimplemented(
        "Pooling is not yet supported on the batch dimension.");
  }
  return CheckValidPadding(params->padding, params->explicit_paddings, rank,
                           params->format);
}

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

Status ComputePoolDimensions(const PoolParameters& params,
                             const TensorShape& input, PoolDimensions* dims) {
  const int rank = static_cast<int>(params.ksize.size());
  if (input.dims() != rank) {
    return errors::InvalidArgument("Pool: tensor_in must be ", rank,
                                   "-dimensional, got ", input.DebugString());
  }
  dims->format = params.format;
  dims->batch = input.dim_size(0);
  dims->has_planes = rank == 5;
  const auto compute = [&](int index, WindowDim* window) {
    window->input = input.dim_size(index);
    window->filter = params.ksize[index];
    window->stride = params.strides[index];
    if (params.padding == EXPLICIT) {
      window->pad_before = params.explicit_paddings[2 * index];
      window->pad_after = params.explicit_paddings[2 * index + 1];
    }
    return ComputeWindow(params.padding, window);
  };
  int index = GetTensorSpatialDimIndex(rank, params.format, 0);
  if (dims->has_planes) {
    TF_RETURN_IF_ERROR(compute(index++, &dims->planes));
  }
  TF_RETURN_IF_ERROR(compute(index++, &dims->rows));
  TF_RETURN_IF_ERROR(compute(index, &dims->cols));
  const int depth = GetTensorFeatureDimIndex(rank, params.format);
  if (params.ksize[depth] == 1 && params.strides[depth] == 1) {
    // No window, also where there are no channels.
    dims->depth.input = dims->depth.output = input.dim_size(depth);
    dims->depth.filter = 1;
    return OkStatus();
  }
  return compute(depth, &dims->depth);
}

Status CheckNoDepthWindow(const PoolDimensions& dims) {
  if (dims.depth.filter == 1 && dims.depth.stride == 1) return OkStatus();
  return errors::Unimplemented(
      "Non-spatial pooling is not yet supported: a depth window of ",
      dims.depth.filter);
}

}  // namespace tensorwright
