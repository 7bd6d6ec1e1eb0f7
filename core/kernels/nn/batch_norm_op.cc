// SPDX-License-Identifier: Apache-2.0
// Kernels of BatchNormWithGlobalNormalization and its gradient: ops of old
// graphs, whose statistics are inputs.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

struct BatchNormAttrs {
  float epsilon = 0;
  bool scale = false;  // Says whether gamma is multiplied in.
};

Status InitAttrs(OpKernelConstruction* ctx, BatchNormAttrs* attrs) {
  TF_RETURN_IF_ERROR(ctx->GetAttr("variance_epsilon", &attrs->epsilon));
  return ctx->GetAttr("scale_after_normalization", &attrs->scale);
}

// Checks t [n, h, w, c] and the vectors [c] from input 1 on.
Status CheckShapes(OpKernelContext* ctx, int vectors) {
  const TensorShape& t = ctx->input(0).shape();
  if (t.dims() != 4) {
    return errors::InvalidArgument(
        "BatchNormWithGlobalNormalization: t must be 4-dimensional, got ",
        t.DebugString());
  }
  for (int i = 1; i <= vectors; ++i) {
    const TensorShape& v = ctx->input(i).shape();
    if (v.dims() != 1 || v.dim_size(0) != t.dim_size(3)) {
      return errors::InvalidArgument("BatchNormWithGlobalNormalization: input ",
                                     i, " must be a vector of ", t.dim_size(3),
                                     " elements, got shape ", v.DebugString());
    }
  }
  return OkStatus();
}

// The part of a channel's result that does not depend on the pixel.
template <typename C>
struct Channel {
  C mean;
  C inverse;  // 1 / sqrt(variance + epsilon)
  C factor;   // Also times gamma, if that is multiplied in.
};

template <typename T, typename C = ComputeType<T>>
std::vector<Channel<C>> Channels(const BatchNormAttrs& attrs, const Tensor& m,
                                 const Tensor& v, const Tensor& gamma) {
  std::vector<Channel<C>> channels(m.NumElements());
  for (size_t c = 0; c < channels.size(); ++c) {
    const C variance = static_cast<C>(v.base<T>()[c]);
    const C inverse =
        C(1) / std::sqrt(variance + static_cast<C>(attrs.epsilon));
    const C scale = attrs.scale ? static_cast<C>(gamma.base<T>()[c]) : C(1);
    channels[c] = {static_cast<C>(m.base<T>()[c]), inverse, inverse * scale};
  }
  return channels;
}

}  // namespace

template <typename T>
class BatchNormOp final : public OpKernel {
 public:
  explicit BatchNormOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    using C = ComputeType<T>;
    OP_REQUIRES_OK(ctx, CheckShapes(ctx, 4));
    const Tensor& t = ctx->input(0);
    const auto channels =
        Channels<T>(attrs_, ctx->input(1), ctx->input(2), ctx->input(4));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, t.shape(), &output));
    if (output->NumElements() == 0) return;
    const int64_t depth = t.dim_size(3);
    const T* beta = ctx->input(3).base<T>();
    const T* x = t.base<T>();
    T* y = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t c = 0; c < depth; ++c) {
          const C v = static_cast<C>(x[r * depth + c]) - channels[c].mean;
          y[r * depth + c] =
              static_cast<T>(v * channels[c].factor + static_cast<C>(beta[c]));
        }
      }
    };
    ParallelFor(ctx, t.NumElements() / depth, 2 * depth, run);
  }

 private:
  BatchNormAttrs attrs_;
};

// With r = 1 / sqrt(v + epsilon), k = gamma or 1, g the backprop and sums over
// the pixels of a channel:
//   dt = g r k,  dm = -sum(g) r k,  dv = -sum(g (t - m)) r^3 k / 2, db =
//   sum(g),  dg = sum(g (t - m)) r, or 0 if gamma is not multiplied in.
template <typename T>
class BatchNormGradOp final : public OpKernel {
 public:
  explicit BatchNormGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    using C = ComputeType<T>;
    OP_REQUIRES_OK(ctx, CheckShapes(ctx, 3));
    const Tensor& t = ctx->input(0);
    const Tensor& backprop = ctx->input(4);
    OP_REQUIRES(
        ctx, backprop.shape() == t.shape(),
        errors::InvalidArgument(
            "BatchNormWithGlobalNormalizationGrad: backprop must have "
            "the shape of t, ",
            t.shape().DebugString(), ", got ", backprop.shape().DebugString()));
    const auto channels =
        Channels<T>(attrs_, ctx->input(1), ctx->input(2), ctx->input(3));
    const int64_t depth = t.dim_size(3);
    Tensor* out[5];
    for (int i = 0; i < 5; ++i) {
      OP_REQUIRES_OK(
          ctx, ctx->allocate_output(
                   i, i == 0 ? t.shape() : TensorShape({depth}), &out[i]));
    }
    const int64_t pixels = depth == 0 ? 0 : t.NumElements() / depth;
    std::vector<C> sum(depth), product(depth);
    for (int64_t r = 0; r < pixels; ++r) {
      const T* g = backprop.base<T>() + r * depth;
      const T* x = t.base<T>() + r * depth;
      T* dt = out[0]->base<T>() + r * depth;
      for (int64_t c = 0; c < depth; ++c) {
        const C slope = static_cast<C>(g[c]);
        sum[c] += slope;
        product[c] += slope * (static_cast<C>(x[c]) - channels[c].mean);
        dt[c] = static_cast<T>(slope * channels[c].factor);
      }
    }
    for (int64_t c = 0; c < depth; ++c) {
      const Channel<C>& k = channels[c];
      out[1]->base<T>()[c] = static_cast<T>(-sum[c] * k.factor);
      out[2]->base<T>()[c] = static_cast<T>(C(-0.5) * product[c] * k.factor *
                                            k.inverse * k.inverse);
      out[3]->base<T>()[c] = static_cast<T>(sum[c]);
      out[4]->base<T>()[c] =
          static_cast<T>(attrs_.scale ? product[c] * k.inverse : C(0));
    }
  }

 private:
  BatchNormAttrs attrs_;
};

REGISTER_KERNEL_FOR_TYPES(
    Name("BatchNormWithGlobalNormalization").Device(DEVICE_CPU), "T",
    BatchNormOp, float, Eigen::half, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("BatchNormWithGlobalNormalizationGrad").Device(DEVICE_CPU), "T",
    BatchNormGradOp, float, Eigen::half, double);

}  // namespace tensorwright
