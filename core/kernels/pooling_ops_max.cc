// SPDX-License-Identifier: Apache-2.0
// Kernels of MaxPool and MaxPoolGrad.

#include <algorithm>
#include <functional>
#include <limits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/conv_ops.h"
#include "core/kernels/cwise_ops.h"
#include "core/kernels/pooling_ops.h"
#include "core/kernels/reduction_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

// A window along depth excludes windows in space and divides depth evenly.
Status CheckDepthWindow(const PoolParameters& params,
                        const PoolDimensions& dims) {
  if (dims.depth.filter == 1 && dims.depth.stride == 1) return OkStatus();
  if (dims.rows.filter != 1 || dims.cols.filter != 1) {
    return errors::Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling "
        "across width/height.");
  }
  if (dims.depth.filter != dims.depth.stride ||
      dims.depth.input % dims.depth.filter != 0) {
    return errors::Unimplemented(
        "Depthwise max pooling requires the depth window to equal the depth "
        "stride and to evenly divide the input depth, got window ",
        dims.depth.filter, ", stride ", dims.depth.stride, ", depth ",
        dims.depth.input);
  }
  return params.padding == EXPLICIT
             ? errors::Unimplemented(
                   "Depthwise max pooling has no explicit paddings")
             : OkStatus();
}

template <typename T>
void MaxPoolImages(const PoolDimensions& d, int64_t begin, int64_t end,
                   const T* input, T* output) {
  using C = ComputeType<T>;
  const PoolStrides in(d.format, d.rows.input, d.cols.input, d.depth.input);
  ForEachWindow(d, begin, end,
                [&](int64_t b, int64_t to, const WindowRange& rows,
                    const WindowRange& cols, const WindowRange& depths) {
                  C best = MaxReducer<C>::Initial();
                  ForEachInWindow(in, b, rows, cols, depths, [&](int64_t at) {
                    best =
                        MaxReducer<C>::Combine(best, static_cast<C>(input[at]));
                  });
                  output[to] = static_cast<T>(best);
                });
}

// Adds each output gradient to the first maximum of its window.  Sums of half
// and bfloat16 are rounded at every step, of which there are few.
template <typename T>
void MaxPoolGradImages(const PoolDimensions& d, int64_t begin, int64_t end,
                       const T* input, const T* grad, T* input_grad) {
  using C = ComputeType<T>;
  const PoolStrides in(d.format, d.rows.input, d.cols.input, d.depth.input);
  std::fill(input_grad + begin * in.batch, input_grad + end * in.batch, T(0));
  ForEachWindow(d, begin, end,
                [&](int64_t b, int64_t from, const WindowRange& rows,
                    const WindowRange& cols, const WindowRange& depths) {
                  int64_t best = -1;
                  ForEachInWindow(in, b, rows, cols, depths, [&](int64_t at) {
                    if (best < 0 || static_cast<C>(input[at]) >
                                        static_cast<C>(input[best])) {
                      best = at;
                    }
                  });
                  if (best < 0) return;  // All padding.
                  input_grad[best] =
                      static_cast<T>(static_cast<C>(input_grad[best]) +
                                     static_cast<C>(grad[from]));
                });
}

// Cycles of one image, roughly.
int64_t ImageCost(const PoolDimensions& d) {
  return 3 * d.rows.output * d.cols.output * d.depth.output * d.rows.filter *
         d.cols.filter * d.depth.filter;
}

struct RestsOnPool {
  using Primitive = dnnl::pooling_forward;
};
struct RestsOnPoolGrad {
  using Primitive = dnnl::pooling_backward;
};

}  // namespace

template <typename T>
class MaxPoolOp final : public OpKernel,
                        public std::conditional_t<std::is_same_v<T, float>,
                                                  RestsOnPool, RestsOnNothing> {
 public:
  explicit MaxPoolOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitPoolParameters(ctx, &params_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(params_, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepthWindow(params_, dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      const Status status =
          OneDnnPool(ctx, PoolKind::kMax, dims, input.base<float>(),
                     output->base<float>());
      if (status.code() != error::UNIMPLEMENTED) {
        OP_REQUIRES_OK(ctx, status);
        return;
      }
    }
    const T* from = input.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      MaxPoolImages(dims, begin, end, from, to);
    };
    ParallelFor(ctx, dims.batch, ImageCost(dims), run);
  }

 private:
  PoolParameters params_;
};

template <typename T>
class MaxPoolGradOp final
    : public OpKernel,
      public std::conditional_t<std::is_same_v<T, float>, RestsOnPoolGrad,
                                RestsOnNothing> {
 public:
  explicit MaxPoolGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitPoolParameters(ctx, &params_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& orig_output = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(params_, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepthWindow(params_, dims));
    OP_REQUIRES(ctx,
                orig_output.shape() == dims.OutputShape() &&
                    grad.shape() == dims.OutputShape(),
                errors::InvalidArgument(
                    "MaxPoolGrad: Expected orig_output and grad shape to be ",
                    dims.OutputShape().DebugString(), ", but got ",
                    orig_output.shape().DebugString(), " and ",
                    grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      if (grad.NumElements() > 0) {
        const Status status =
            OneDnnMaxPoolGrad(ctx, dims, input.base<float>(),
                              grad.base<float>(), output->base<float>());
        if (status.code() != error::UNIMPLEMENTED) {
          OP_REQUIRES_OK(ctx, status);
          return;
        }
      }
    }
    const T* x = input.base<T>();
    const T* from = grad.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      MaxPoolGradImages(dims, begin, end, x, from, to);
    };
    ParallelFor(ctx, dims.batch, ImageCost(dims), run);
  }

 private:
  PoolParameters params_;
};

REGISTER_KERNEL_FOR_TYPES(Name("MaxPool").Device(DEVICE_CPU), "T", MaxPoolOp,
                          float, Eigen::half, Eigen::bfloat16, double, int8,
                          int16, int32, int64_t, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGrad").Device(DEVICE_CPU), "T",
                          MaxPoolGradOp, float, Eigen::half, Eigen::bfloat16,
                          double, int8, int16, int32, int64_t, uint8, uint16,
                          uint32, uint64);

}  // namespace tensorwright
