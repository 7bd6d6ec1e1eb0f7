// SPDX-License-Identifier: Apache-2.0
// The kernels of Conv2D and Conv3D, and the sizes of convolutions.

#include "core/kernels/nn/conv_ops.h"

#include <algorithm>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

namespace {

// Computes spatial dimension `i`.
Status ComputeWindowOf(const WindowAttrs& attrs, int i,
                       const TensorShape& input, const TensorShape& filter,
                       WindowDim* window) {
  const int index = attrs.SpatialIndex(i);
  return attrs.ComputeWindow(index, input.dim_size(index), filter.dim_size(i),
                             window);
}

TensorShape ImageShape(const Conv2DDimensions& d, int64_t WindowDim::*size,
                       int64_t depth) {
  if (!d.has_planes) {
    return ShapeFromFormat(d.format, d.batch, d.rows.*size, d.cols.*size,
                           depth);
  }
  const int64_t space[] = {d.planes.*size, d.rows.*size, d.cols.*size};
  return ShapeFromFormat(d.format, d.batch, space, depth);
}

}  // namespace

TensorShape Conv2DDimensions::InputShape() const {
  return ImageShape(*this, &WindowDim::input, in_depth);
}

TensorShape Conv2DDimensions::OutputShape() const {
  return ImageShape(*this, &WindowDim::output, out_depth);
}

double Conv2DDimensions::Flops() const {
  return 2.0 * static_cast<double>(batch) * output_pixels() * patch_size() *
         out_depth;
}

Status ComputeConv2DDimensions(const WindowAttrs& attrs,
                               const TensorShape& input,
                               const TensorShape& filter,
                               Conv2DDimensions* dims) {
  const int rank = attrs.rank;
  if (input.dims() != rank || filter.dims() != rank) {
    return errors::InvalidArgument(
        attrs.op, ": input and filter must be ", rank, "-dimensional, got ",
        input.DebugString(), " and ", filter.DebugString());
  }
  dims->format = attrs.format;
  dims->batch = input.dim_size(0);
  dims->in_depth = input.dim_size(GetTensorFeatureDimIndex(rank, attrs.format));
  dims->out_depth = filter.dim_size(rank - 1);
  const int64_t filter_depth = filter.dim_size(rank - 2);
  if (filter_depth <= 0 || dims->in_depth % filter_depth != 0) {
    return errors::InvalidArgument(
        attrs.op, ": input depth must be evenly divisible by filter depth: ",
        dims->in_depth, " vs ", filter_depth);
  }
  dims->groups = std::max<int64_t>(1, dims->in_depth / filter_depth);
  if (dims->out_depth % dims->groups != 0) {
    return errors::InvalidArgument(
        attrs.op,
        ": output depth must be evenly divisible by number of groups: ",
        dims->out_depth, " vs ", dims->groups);
  }
  dims->has_planes = rank == 5;
  int i = 0;
  if (dims->has_planes) {
    TF_RETURN_IF_ERROR(
        ComputeWindowOf(attrs, i++, input, filter, &dims->planes));
  }
  TF_RETURN_IF_ERROR(ComputeWindowOf(attrs, i++, input, filter, &dims->rows));
  return ComputeWindowOf(attrs, i, input, filter, &dims->cols);
}

Status ComputeDepthwiseDimensions(const WindowAttrs& attrs,
                                  const TensorShape& input,
                                  const TensorShape& filter,
                                  Conv2DDimensions* dims) {
  if (input.dims() != 4 || filter.dims() != 4) {
    return errors::InvalidArgument(
        attrs.op, ": input and filter must be 4-dimensional, got ",
        input.DebugString(), " and ", filter.DebugString());
  }
  const int64_t depth = GetTensorDim(input, attrs.format, 'C');
  if (depth != filter.dim_size(2)) {
    return errors::InvalidArgument(
        attrs.op,
        ": input and filter must have the same depth, "
        "got ",
        depth, " and ", filter.dim_size(2));
  }
  TensorShape grouped;
  for (const int64_t size : {filter.dim_size(0), filter.dim_size(1), int64_t{1},
                             depth * filter.dim_size(3)}) {
    TF_RETURN_IF_ERROR(grouped.AddDimWithStatus(size));
  }
  return ComputeConv2DDimensions(attrs, input, grouped, dims);
}

template <typename T, int kRank>
class ConvOp final : public OpKernel,
                     public OneDnnUnlessWide<T, dnnl::convolution_forward> {
 public:
  explicit ConvOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, kRank, &attrs_));
    kept_filter_ = KeptFilter::ForNode(def());
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(attrs_, input.shape(),
                                                filter.shape(), &dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if constexpr (std::is_same_v<T, float>) {
      if (kept_filter_ != nullptr && output->NumElements() > 0 &&
          input.NumElements() > 0) {
        Conv2DExtras extras;
        extras.kept = kept_filter_.get();
        OP_REQUIRES_OK(ctx, Conv2DForwardFloat(ctx, dims, input.base<T>(),
                                               filter.base<T>(), extras,
                                               output->base<T>()));
        return;
      }
    }
    OP_REQUIRES_OK(ctx, RunConvForward<T>(ctx, dims, input, filter, output));
  }

 private:
  WindowAttrs attrs_;
  std::unique_ptr<KeptFilter> kept_filter_;
};

template <typename T>
using Conv2DOp = ConvOp<T, 4>;
template <typename T>
using Conv3DOp = ConvOp<T, 5>;

REGISTER_KERNEL_FOR_TYPES(Name("Conv2D").Device(DEVICE_CPU), "T", Conv2DOp,
                          float, Eigen::half, Eigen::bfloat16, double, int32);
REGISTER_KERNEL_FOR_TYPES(Name("Conv3D").Device(DEVICE_CPU), "T", Conv3DOp,
                          float, Eigen::half, Eigen::bfloat16, double);

}  // namespace tensorwright
