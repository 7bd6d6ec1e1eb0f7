// SPDX-License-Identifier: Apache-2.0
// The kernel of Conv2D, and the sizes of convolutions.

#include "core/kernels/conv_ops.h"

#include <algorithm>
#include <string>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

Status InitConv2DParameters(OpKernelConstruction* ctx,
                            Conv2DParameters* params) {
  std::string padding, format;
  TF_RETURN_IF_ERROR(ctx->GetAttr("padding", &padding));
  TF_RETURN_IF_ERROR(ctx->GetAttr("data_format", &format));
  TF_RETURN_IF_ERROR(ctx->GetAttr("strides", &params->strides));
  TF_RETURN_IF_ERROR(ctx->GetAttr("dilations", &params->dilations));
  TF_RETURN_IF_ERROR(
      ctx->GetAttr("explicit_paddings", &params->explicit_paddings));
  TF_RETURN_IF_ERROR(GetPaddingFromString(padding, &params->padding));
  if (!FormatFromString(format, &params->format)) {
    return errors::InvalidArgument("Conv2D: unknown data_format ", format);
  }
  if (params->strides.size() != 4 || params->dilations.size() != 4) {
    return errors::InvalidArgument(
        "Conv2D: strides and dilations must have 4 values, got ",
        params->strides.size(), " and ", params->dilations.size());
  }
  return CheckValidPadding(params->padding, params->explicit_paddings, 4,
                           params->format);
}

namespace {

Status ComputeWindowOf(const Conv2DParameters& params, char dimension,
                       int64_t input, int64_t filter, WindowDim* window) {
  const int index = GetTensorDimIndex(params.format, dimension);
  window->input = input;
  window->filter = filter;
  window->stride = params.strides[index];
  window->dilation = params.dilations[index];
  if (params.padding == EXPLICIT) {
    window->pad_before = params.explicit_paddings[2 * index];
    window->pad_after = params.explicit_paddings[2 * index + 1];
  }
  return ComputeWindow(params.padding, window);
}

}  // namespace

TensorShape Conv2DDimensions::InputShape() const {
  return ShapeFromFormat(format, batch, rows.input, cols.input, in_depth);
}

TensorShape Conv2DDimensions::OutputShape() const {
  return ShapeFromFormat(format, batch, rows.output, cols.output, out_depth);
}

double Conv2DDimensions::Flops() const {
  return 2.0 * static_cast<double>(batch) * output_pixels() * patch_size() *
         out_depth;
}

Status ComputeConv2DDimensions(const Conv2DParameters& params,
                               const TensorShape& input,
                               const TensorShape& filter,
                               Conv2DDimensions* dims) {
  if (input.dims() != 4 || filter.dims() != 4) {
    return errors::InvalidArgument(
        "Conv2D: input and filter must be 4-dimensional, got ",
        input.DebugString(), " and ", filter.DebugString());
  }
  dims->format = params.format;
  dims->batch = GetTensorDim(input, params.format, 'N');
  dims->in_depth = GetTensorDim(input, params.format, 'C');
  dims->out_depth = filter.dim_size(3);
  const int64_t filter_depth = filter.dim_size(2);
  if (filter_depth <= 0 || dims->in_depth % filter_depth != 0) {
    return errors::InvalidArgument(
        "Conv2D: input depth must be evenly divisible by filter depth: ",
        dims->in_depth, " vs ", filter_depth);
  }
  dims->groups = std::max<int64_t>(1, dims->in_depth / filter_depth);
  if (dims->out_depth % dims->groups != 0) {
    return errors::InvalidArgument(
        "Conv2D: output depth must be evenly divisible by number of groups: ",
        dims->out_depth, " vs ", dims->groups);
  }
  TF_RETURN_IF_ERROR(ComputeWindowOf(params, 'H',
                                     GetTensorDim(input, params.format, 'H'),
                                     filter.dim_size(0), &dims->rows));
  return ComputeWindowOf(params, 'W', GetTensorDim(input, params.format, 'W'),
                         filter.dim_size(1), &dims->cols);
}

template <typename T>
class Conv2DOp final : public OpKernel,
                       public OneDnnUnlessWide<T, dnnl::convolution_forward> {
 public:
  explicit Conv2DOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitConv2DParameters(ctx, &params_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(params_, input.shape(),
                                                filter.shape(), &dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    if (input.NumElements() == 0) {  // Only padding to convolve.
      std::fill_n(output->base<T>(), output->NumElements(), T(0));
      return;
    }
    if constexpr (kIsStorageOnly<T>) {
      const auto run = [&](const float* a, const float* b, float* c) {
        return Conv2DForward<float>(ctx, dims, a, b, c);
      };
      OP_REQUIRES_OK(ctx, RunAsFloat<T>(ctx, input, filter, output, run));
    } else {
      OP_REQUIRES_OK(
          ctx, Conv2DForward<T>(ctx, dims, input.base<T>(), filter.base<T>(),
                                output->base<T>()));
    }
  }

 private:
  Conv2DParameters params_;
};

REGISTER_KERNEL_FOR_TYPES(Name("Conv2D").Device(DEVICE_CPU), "T", Conv2DOp,
                          float, Eigen::half, Eigen::bfloat16, double, int32);

}  // namespace tensorwright
