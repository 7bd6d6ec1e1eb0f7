// SPDX-License-Identifier: Apache-2.0
// Kernels of AvgPool and AvgPoolGrad.

#include <algorithm>
#include <functional>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/conv_ops.h"
#include "core/kernels/cwise_ops.h"
#include "core/kernels/pooling_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

Status CheckNoDepthWindow(const PoolDimensions& dims) {
  if (dims.depth.filter == 1 && dims.depth.stride == 1) return OkStatus();
  return errors::Unimplemented(
      "Non-spatial pooling is not yet supported: AvgPool with a depth window "
      "of ",
      dims.depth.filter);
}

template <typename T>
void AveragePoolImages(const PoolDimensions& d, int64_t begin, int64_t end,
                       const T* input, T* output) {
  using C = ComputeType<T>;
  const PoolStrides in(d.format, d.rows.input, d.cols.input, d.depth.input);
  ForEachWindow(
      d, begin, end,
      [&](int64_t b, int64_t to, const WindowRange& rows,
          const WindowRange& cols, const WindowRange& depths) {
        C sum(0);
        ForEachInWindow(in, b, rows, cols, depths,
                        [&](int64_t at) { sum += static_cast<C>(input[at]); });
        output[to] =
            static_cast<T>(sum / static_cast<C>(rows.size() * cols.size()));
      });
}

template <typename T>
void AveragePoolGradImages(const PoolDimensions& d, int64_t begin, int64_t end,
                           const T* grad, T* input_grad) {
  using C = ComputeType<T>;
  const PoolStrides in(d.format, d.rows.input, d.cols.input, d.depth.input);
  std::fill(input_grad + begin * in.batch, input_grad + end * in.batch, T(0));
  ForEachWindow(d, begin, end,
                [&](int64_t b, int64_t from, const WindowRange& rows,
                    const WindowRange& cols, const WindowRange& depths) {
                  const C share = static_cast<C>(grad[from]) /
                                  static_cast<C>(rows.size() * cols.size());
                  ForEachInWindow(in, b, rows, cols, depths, [&](int64_t at) {
                    input_grad[at] =
                        static_cast<T>(static_cast<C>(input_grad[at]) + share);
                  });
                });
}

int64_t ImageCost(const PoolDimensions& d) {
  return 3 * d.rows.output * d.cols.output * d.depth.output * d.rows.filter *
         d.cols.filter;
}

struct RestsOnPool {
  using Primitive = dnnl::pooling_forward;
};
struct RestsOnPoolGrad {
  using Primitive = dnnl::pooling_backward;
};

}  // namespace

template <typename T>
class AvgPoolOp final : public OpKernel,
                        public std::conditional_t<std::is_same_v<T, float>,
                                                  RestsOnPool, RestsOnNothing> {
 public:
  explicit AvgPoolOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitPoolParameters(ctx, &params_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(params_, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckNoDepthWindow(dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      const Status status =
          OneDnnPool(ctx, PoolKind::kAverage, dims, input.base<float>(),
                     output->base<float>());
      if (status.code() != error::UNIMPLEMENTED) {
        OP_REQUIRES_OK(ctx, status);
        return;
      }
    }
    const T* from = input.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      AveragePoolImages(dims, begin, end, from, to);
    };
    ParallelFor(ctx, dims.batch, ImageCost(dims), run);
  }

 private:
  PoolParameters params_;
};

template <typename T>
class AvgPoolGradOp final
    : public OpKernel,
      public std::conditional_t<std::is_same_v<T, float>, RestsOnPoolGrad,
                                RestsOnNothing> {
 public:
  explicit AvgPoolGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitPoolParameters(ctx, &params_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    OP_REQUIRES(ctx, sizes.dims() == 1 && sizes.NumElements() == 4,
                errors::InvalidArgument(
                    "AvgPoolGrad: orig_input_shape must be 1-dimensional and 4 "
                    "elements, got shape ",
                    sizes.shape().DebugString()));
    TensorShape input_shape;
    for (int32 size : Flat<int32>(sizes)) {
      OP_REQUIRES(
          ctx, size >= 0,
          errors::InvalidArgument(
              "AvgPoolGrad: orig_input_shape must not be negative, got ",
              size));
      OP_REQUIRES_OK(ctx, input_shape.AddDimWithStatus(size));
    }
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(params_, input_shape, &dims));
    OP_REQUIRES_OK(ctx, CheckNoDepthWindow(dims));
    OP_REQUIRES(
        ctx, grad.shape() == dims.OutputShape(),
        errors::InvalidArgument("AvgPoolGrad: Expected grad shape to be ",
                                dims.OutputShape().DebugString(), ", but got ",
                                grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input_shape, &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      if (grad.NumElements() > 0) {
        const Status status = OneDnnAveragePoolGrad(
            ctx, dims, grad.base<float>(), output->base<float>());
        if (status.code() != error::UNIMPLEMENTED) {
          OP_REQUIRES_OK(ctx, status);
          return;
        }
      }
    }
    const T* from = grad.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      AveragePoolGradImages(dims, begin, end, from, to);
    };
    ParallelFor(ctx, dims.batch, ImageCost(dims), run);
  }

 private:
  PoolParameters params_;
};

REGISTER_KERNEL_FOR_TYPES(Name("AvgPool").Device(DEVICE_CPU), "T", AvgPoolOp,
                          float, Eigen::half, Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("AvgPoolGrad").Device(DEVICE_CPU).HostMemory("orig_input_shape"), "T",
    AvgPoolGradOp, float, Eigen::half, Eigen::bfloat16, double);

}  // namespace tensorwright
