// SPDX-License-Identifier: Apache-2.0
// Attrs and sizes of pools.

#include "core/kernels/pooling_ops.h"

#include <string>

#include "core/lib/core/errors.h"

namespace tensorwright {

Status InitPoolParameters(OpKernelConstruction* ctx, PoolParameters* params) {
  std::string padding, format;
  TF_RETURN_IF_ERROR(ctx->GetAttr("ksize", &params->ksize));
  TF_RETURN_IF_ERROR(ctx->GetAttr("strides", &params->strides));
  TF_RETURN_IF_ERROR(ctx->GetAttr("padding", &padding));
  TF_RETURN_IF_ERROR(ctx->GetAttr("data_format", &format));
  if (ctx->HasAttr("explicit_paddings")) {
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("explicit_paddings", &params->explicit_paddings));
  }
  TF_RETURN_IF_ERROR(GetPaddingFromString(padding, &params->padding));
  if (!FormatFromString(format, &params->format) ||
      params->format == FORMAT_NCHW_VECT_C) {
    return errors::InvalidArgument("Pool: Invalid data format ", format);
  }
  if (params->ksize.size() != 4 || params->strides.size() != 4) {
    return errors::InvalidArgument(
        "Pool: Sliding window ksize and strides must specify 4 dimensions, "
        "got ",
        params->ksize.size(), " and ", params->strides.size());
  }
  if (params->ksize[0] != 1 || params->strides[0] != 1) {
    return errors::Unimplemented(
        "Pooling is not yet supported on the batch dimension.");
  }
  return CheckValidPadding(params->padding, params->explicit_paddings, 4,
                           params->format);
}

Status ComputePoolDimensions(const PoolParameters& params,
                             const TensorShape& input, PoolDimensions* dims) {
  if (input.dims() != 4) {
    return errors::InvalidArgument(
        "Pool: tensor_in must be 4-dimensional, got ", input.DebugString());
  }
  dims->format = params.format;
  dims->batch = input.dim_size(0);
  const auto compute = [&](char dimension, WindowDim* window) {
    const int index = GetTensorDimIndex(params.format, dimension);
    window->input = input.dim_size(index);
    window->filter = params.ksize[index];
    window->stride = params.strides[index];
    if (params.padding == EXPLICIT) {
      window->pad_before = params.explicit_paddings[2 * index];
      window->pad_after = params.explicit_paddings[2 * index + 1];
    }
    return ComputeWindow(params.padding, window);
  };
  TF_RETURN_IF_ERROR(compute('H', &dims->rows));
  TF_RETURN_IF_ERROR(compute('W', &dims->cols));
  return compute('C', &dims->depth);
}

}  // namespace tensorwright
