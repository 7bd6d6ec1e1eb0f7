// SPDX-License-Identifier: Apache-2.0
// Kernels of FusedBatchNorm and FusedBatchNormGrad, and of V2 and V3 of both,
// whose images may be half or bfloat16 (statistics are floats) or have three
// dimensions of space.

#include "core/kernels/nn/fused_batch_norm_op.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

struct BatchNormAttrs {
  float epsilon = 0;
  TensorFormat format = FORMAT_NHWC;
  // Images have as many dimensions as the format has letters.
  int rank = 4;
  bool is_training = true;
};

Status InitAttrs(OpKernelConstruction* ctx, BatchNormAttrs* attrs) {
  std::string format;
  TF_RETURN_IF_ERROR(ctx->GetAttr("epsilon", &attrs->epsilon));
  TF_RETURN_IF_ERROR(ctx->GetAttr("data_format", &format));
  TF_RETURN_IF_ERROR(ctx->GetAttr("is_training", &attrs->is_training));
  attrs->rank = static_cast<int>(format.size());
  if (FormatFromString(format, &attrs->format)) return OkStatus();
  return errors::InvalidArgument("FusedBatchNorm: Invalid data format ",
                                 format);
}

// InvalidArgument unless input `index` is a vector with one number for each
// channel.
Status CheckVector(OpKernelContext* ctx, int index, int64_t channels,
                   const char* name) {
  const TensorShape& shape = ctx->input(index).shape();
  if (shape.dims() == 1 && shape.dim_size(0) == channels) return OkStatus();
  return errors::InvalidArgument("FusedBatchNorm: ", name,
                                 " must be a vector of ", channels,
                                 " elements, got shape ", shape.DebugString());
}

Status CheckImage(const TensorShape& shape, int rank, const char* name) {
  if (shape.dims() == rank) return OkStatus();
  return errors::InvalidArgument("FusedBatchNorm: ", name, " must be ", rank,
                                 "-dimensional, got shape ",
                                 shape.DebugString());
}

// Returns the image as floats: itself, or a copy.
template <typename T>
Status FloatsOf(OpKernelContext* ctx, const Tensor& image, Tensor* floats) {
  if constexpr (std::is_same_v<T, float>) {
    *floats = image;
  } else {
    TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, image.shape(), floats));
    WidenFloats(image.base<T>(), floats->base<float>(), image.NumElements());
  }
  return OkStatus();
}

// Allocates output 0, like input 0, and finds the memory for its floats: the
// output's, or a tensor's that will be narrowed into it.
template <typename T>
Status AllocateImage(OpKernelContext* ctx, const TensorShape& shape,
                     Tensor** image, Tensor* floats) {
  TF_RETURN_IF_ERROR(
      ctx->forward_input_or_allocate_output({0}, 0, shape, image));
  if constexpr (std::is_same_v<T, float>) {
    *floats = **image;
    return OkStatus();
  }
  return ctx->allocate_temp(DT_FLOAT, shape, floats);
}

template <typename T>
void Narrow(const Tensor& floats, Tensor* image) {
  if constexpr (!std::is_same_v<T, float>) {
    NarrowFloats(floats.base<float>(), image->base<T>(), image->NumElements());
  }
}

// Returns 1 / sqrt(variance + epsilon), times scale if there is one.
std::vector<float> InverseDeviation(const float* variance, float epsilon,
                                    const float* scale, int64_t channels) {
  std::vector<float> inverse(channels);
  for (int64_t c = 0; c < channels; ++c) {
    inverse[c] = 1.0f / std::sqrt(variance[c] + epsilon);
    if (scale != nullptr) inverse[c] *= scale[c];
  }
  return inverse;
}

}  // namespace

template <typename T>
class FusedBatchNormOp final : public OpKernel {
 public:
  explicit FusedBatchNormOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitAttrs(ctx, &attrs_));
    if (ctx->HasAttr("exponential_avg_factor")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("exponential_avg_factor", &factor_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, CheckImage(ctx->input(0).shape(), attrs_.rank, "x"));
    Tensor x;
    OP_REQUIRES_OK(ctx, FloatsOf<T>(ctx, ctx->input(0), &x));
    const batch_norm::Extent extent(x.shape(), attrs_.format);
    const int64_t channels = extent.channels;
    OP_REQUIRES_OK(ctx, CheckVector(ctx, 1, channels, "scale"));
    OP_REQUIRES_OK(ctx, CheckVector(ctx, 2, channels, "offset"));
    const bool needs_old = !attrs_.is_training || factor_ != 1.0f;
    if (needs_old) {
      OP_REQUIRES_OK(ctx, CheckVector(ctx, 3, channels, "mean"));
      OP_REQUIRES_OK(ctx, CheckVector(ctx, 4, channels, "variance"));
    }
    Tensor* stats[4];  // Running mean and variance, then the batch's.
    for (int i = 0; i < 4; ++i) {
      OP_REQUIRES_OK(
          ctx, ctx->allocate_output(i + 1, TensorShape({channels}), &stats[i]));
    }
    float* mean = stats[2]->base<float>();
    float* variance = stats[3]->base<float>();
    if (!attrs_.is_training) {
      const float* old_mean = ctx->input(3).base<float>();
      const float* old_variance = ctx->input(4).base<float>();
      for (int i = 0; i < 4; i += 2) {
        std::copy_n(old_mean, channels, stats[i]->base<float>());
        std::copy_n(old_variance, channels, stats[i + 1]->base<float>());
      }
    } else if (extent.count() == 0) {
      for (Tensor* t : stats) {
        std::fill_n(t->base<float>(), channels,
                    std::numeric_limits<float>::quiet_NaN());
      }
    } else {
      OP_REQUIRES_OK(ctx, batch_norm::Moments(ctx, extent, x.base<float>(),
                                              mean, variance));
      UpdateRunning(ctx, extent.count(), channels, stats);
    }
    if (ctx->num_outputs() > 5) {
      // On a GPU TensorFlow keeps a tensor for the gradient here.
      Tensor* reserved = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(5, TensorShape({}), &reserved));
      *reserved->base<float>() = 0;
    }
    Tensor* y = nullptr;
    Tensor floats;
    OP_REQUIRES_OK(ctx, AllocateImage<T>(ctx, x.shape(), &y, &floats));
    if (y->NumElements() == 0) return;
    const std::vector<float> scale = InverseDeviation(
        variance, attrs_.epsilon, ctx->input(1).base<float>(), channels);
    batch_norm::Apply(ctx, extent, x.base<float>(), mean, scale.data(),
                      ctx->input(2).base<float>(), floats.base<float>());
    Narrow<T>(floats, y);
  }

 private:
  // The variance that users see estimates the whole population's: it divides by
  // count - 1.
  void UpdateRunning(OpKernelContext* ctx, int64_t count, int64_t channels,
                     Tensor* const* stats) const {
    const float correction = static_cast<float>(
        static_cast<double>(count) /
        static_cast<double>(std::max<int64_t>(1, count - 1)));
    for (int i = 0; i < 2; ++i) {
      float* running = stats[i]->base<float>();
      const float* batch = stats[i + 2]->base<float>();
      const float unbias = i == 0 ? 1.0f : correction;
      for (int64_t c = 0; c < channels; ++c) running[c] = batch[c] * unbias;
      if (factor_ == 1.0f) continue;
      const float* old = ctx->input(3 + i).base<float>();
      for (int64_t c = 0; c < channels; ++c) {
        running[c] = (1.0f - factor_) * old[c] + factor_ * running[c];
      }
    }
  }

  BatchNormAttrs attrs_;
  float factor_ = 1.0f;  // The batch's share in the running statistics.
};

template <typename T>
class FusedBatchNormGradOp final : public OpKernel {
 public:
  explicit FusedBatchNormGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, CheckImage(ctx->input(1).shape(), attrs_.rank, "x"));
    OP_REQUIRES(ctx, ctx->input(0).shape() == ctx->input(1).shape(),
                errors::InvalidArgument(
                    "FusedBatchNormGrad: y_backprop and x must have one "
                    "shape, got ",
                    ctx->input(0).shape().DebugString(), " and ",
                    ctx->input(1).shape().DebugString()));
    Tensor dy, x;
    OP_REQUIRES_OK(ctx, FloatsOf<T>(ctx, ctx->input(0), &dy));
    OP_REQUIRES_OK(ctx, FloatsOf<T>(ctx, ctx->input(1), &x));
    const batch_norm::Extent extent(x.shape(), attrs_.format);
    const int64_t channels = extent.channels;
    OP_REQUIRES_OK(ctx, CheckVector(ctx, 2, channels, "scale"));
    OP_REQUIRES_OK(ctx, CheckVector(ctx, 3, channels, "reserve_space_1"));
    OP_REQUIRES_OK(ctx, CheckVector(ctx, 4, channels, "reserve_space_2"));
    Tensor *dscale = nullptr, *doffset = nullptr, *unused = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(1, TensorShape({channels}), &dscale));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(2, TensorShape({channels}), &doffset));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, TensorShape({0}), &unused));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(4, TensorShape({0}), &unused));
    const float* mean = ctx->input(3).base<float>();
    const std::vector<float> inverse = InverseDeviation(
        ctx->input(4).base<float>(), attrs_.epsilon, nullptr, channels);
    std::vector<double> sum(channels), products(channels);
    OP_REQUIRES_OK(ctx, batch_norm::GradSums(ctx, extent, dy.base<float>(),
                                             x.base<float>(), mean, sum.data(),
                                             products.data()));
    // In training the statistics depend on x; the gradient loses the projection
    // of dy on a constant and on x - mean.
    const float* given_scale = ctx->input(2).base<float>();
    std::vector<float> scale(channels), shift(channels), slope(channels);
    const double count = static_cast<double>(extent.count());
    for (int64_t c = 0; c < channels; ++c) {
      const double deviation = inverse[c];
      doffset->base<float>()[c] = static_cast<float>(sum[c]);
      dscale->base<float>()[c] = static_cast<float>(products[c] * deviation);
      scale[c] = given_scale[c] * inverse[c];
      if (!attrs_.is_training || count == 0) continue;
      shift[c] = static_cast<float>(sum[c] / count);
      slope[c] =
          static_cast<float>(products[c] * deviation * deviation / count);
    }
    Tensor* dx = nullptr;
    Tensor floats;
    OP_REQUIRES_OK(ctx, AllocateImage<T>(ctx, x.shape(), &dx, &floats));
    if (dx->NumElements() == 0) return;
    if (attrs_.is_training) {
      batch_norm::ApplyGrad(ctx, extent, dy.base<float>(), x.base<float>(),
                            mean, scale.data(), shift.data(), slope.data(),
                            floats.base<float>());
    } else {
      // x and its mean do not enter here, even if they are not finite.
      batch_norm::Apply(ctx, extent, dy.base<float>(), shift.data(),
                        scale.data(), slope.data(), floats.base<float>());
    }
    Narrow<T>(floats, dx);
  }

 private:
  BatchNormAttrs attrs_;
};

REGISTER_KERNEL_BUILDER(
    Name("FusedBatchNorm").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    FusedBatchNormOp<float>);
REGISTER_KERNEL_BUILDER(
    Name("FusedBatchNormGrad").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    FusedBatchNormGradOp<float>);

#define TW_REGISTER_FOR_IMAGES(name, op)                                 \
  REGISTER_KERNEL_FOR_TYPES(                                             \
      Name(name).Device(DEVICE_CPU).TypeConstraint<float>("U"), "T", op, \
      float, Eigen::half, Eigen::bfloat16)
TW_REGISTER_FOR_IMAGES("FusedBatchNormV2", FusedBatchNormOp);
TW_REGISTER_FOR_IMAGES("FusedBatchNormV3", FusedBatchNormOp);
TW_REGISTER_FOR_IMAGES("FusedBatchNormGradV2", FusedBatchNormGradOp);
TW_REGISTER_FOR_IMAGES("FusedBatchNormGradV3", FusedBatchNormGradOp);
#undef TW_REGISTER_FOR_IMAGES

}  // namespace tensorwright
