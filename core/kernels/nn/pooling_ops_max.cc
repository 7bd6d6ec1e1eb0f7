// SPDX-License-Identifier: Apache-2.0
// Kernels of MaxPool, MaxPoolV2, MaxPool3D, their gradients and the gradients
// of those.

#include <algorithm>
#include <functional>
#include <limits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/kernels/nn/pooling_ops_choose.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

// A window along depth must cover whole channels without padding.
Status CheckDepth(const WindowAttrs& attrs, const PoolDimensions& dims) {
  TF_RETURN_IF_ERROR(CheckDepthWindow(attrs));
  TF_RETURN_IF_ERROR(CheckDepthWindowDivides(attrs, dims.depth.input));
  return dims.depth.filter != 1 && attrs.padding == EXPLICIT
             ? errors::Unimplemented(
                   attrs.op, ": Depthwise max pooling has no explicit paddings")
             : OkStatus();
}

template <typename T>
void MaxPoolImages(const PoolDimensions& d, int64_t begin, int64_t end,
                   const T* input, T* output) {
  using C = ComputeType<T>;
  const PoolStrides in(d, &WindowDim::input);
  ForEachWindow(d, begin, end, [&](int64_t to, const PoolWindow& w) {
    C best = MaxReducer<C>::Initial();
    ForEachInWindow(in, w, [&](int64_t at) {
      best = MaxReducer<C>::Combine(best, static_cast<C>(input[at]));
    });
    output[to] = static_cast<T>(best);
  });
}

template <typename T>
int64_t MaximumOf(const PoolStrides& in, const PoolWindow& w, const T* input) {
  using C = ComputeType<T>;
  return FirstMaximum(in, w, input, [](T a, T b) {
    return static_cast<C>(a) > static_cast<C>(b);
  });
}

// Adds each output gradient to the first maximum of its window.  Sums of half
// and bfloat16 are rounded at every step; there are few steps.
template <typename T>
void MaxPoolGradImages(const PoolDimensions& d, int64_t begin, int64_t end,
                       const T* input, const T* grad, T* input_grad) {
  using C = ComputeType<T>;
  const PoolStrides in(d, &WindowDim::input);
  std::fill(input_grad + begin * in.batch, input_grad + end * in.batch, T(0));
  ForEachWindow(d, begin, end, [&](int64_t from, const PoolWindow& w) {
    const int64_t best = MaximumOf(in, w, input);
    if (best < 0) return;  // The window is all padding.
    input_grad[best] = static_cast<T>(static_cast<C>(input_grad[best]) +
                                      static_cast<C>(grad[from]));
  });
}

// Goes the other way: takes the element of `grad`, shaped like the input, at
// the first maximum of each window.
template <typename T>
void MaxPoolGradGradImages(const PoolDimensions& d, int64_t begin, int64_t end,
                           const T* input, const T* grad, T* output) {
  const PoolStrides in(d, &WindowDim::input);
  ForEachWindow(d, begin, end, [&](int64_t to, const PoolWindow& w) {
    const int64_t best = MaximumOf(in, w, input);
    output[to] = best < 0 ? T(0) : grad[best];
  });
}

// Serves images without planes.  Unimplemented if the loops for every type must
// do it.
Status RunFloatGrad(OpKernelContext* ctx, PoolAlgorithm algorithm,
                    const PoolDimensions& d, const float* input,
                    const float* grad, float* input_grad) {
  switch (algorithm) {
    case PoolAlgorithm::kApart:
      MaxPoolGradOfApartWindows(ctx, d, input, grad, input_grad);
      return OkStatus();
    case PoolAlgorithm::kPlaces:
      MaxPoolGradOfPlaces(ctx, d, input, /*places=*/nullptr, grad, input_grad);
      return OkStatus();
    case PoolAlgorithm::kOneDnn:
      return OneDnnMaxPoolGrad(ctx, d, input, grad, input_grad);
    default:
      return errors::Unimplemented("the loops do it");
  }
}

struct RestsOnPool {
  using Primitive = dnnl::pooling_forward;
};
struct RestsOnPoolGrad {
  using Primitive = dnnl::pooling_backward;
};

// A max pool or a gradient of one.  ksize and strides are attrs, or the last
// two inputs.
class PoolKernel : public OpKernel {
 public:
  PoolKernel(OpKernelConstruction* ctx, int rank) : OpKernel(ctx) {
    has_sizes_ = ctx->HasAttr("ksize");
    OP_REQUIRES_OK(ctx, has_sizes_ ? ReadPoolAttrs(ctx, rank, &attrs_)
                                   : ReadPoolAttrsButSizes(ctx, rank, &attrs_));
  }

 protected:
  // `read` holds what *attrs points to where inputs say some of it.
  Status GetAttrs(OpKernelContext* ctx, WindowAttrs* read,
                  const WindowAttrs** attrs) const {
    *attrs = &attrs_;
    if (has_sizes_) return OkStatus();
    *read = attrs_;
    *attrs = read;
    const int at = ctx->num_inputs() - 2;
    return SetPoolSizes(ctx->input(at), ctx->input(at + 1), read);
  }

 private:
  bool has_sizes_ = true;
  WindowAttrs attrs_;
};

}  // namespace

// kRank is the rank of images, which is 5 if they have planes.
template <typename T, int kRank>
class MaxPool final : public PoolKernel,
                      public std::conditional_t<std::is_same_v<T, float>,
                                                RestsOnPool, RestsOnNothing> {
 public:
  explicit MaxPool(OpKernelConstruction* ctx) : PoolKernel(ctx, kRank) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    WindowAttrs read;
    const WindowAttrs* attrs = nullptr;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &read, &attrs));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(*attrs, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepth(*attrs, dims));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      const PoolAlgorithm chosen = ChoosePool(
          PoolKind::kMax, PoolPass::kForward, DataTypeToEnum<T>::value, dims);
      if (chosen == PoolAlgorithm::kPlaces) {
        MaxPoolWithPlaces(ctx, dims, input.base<float>(), output->base<float>(),
                          /*places=*/nullptr);
        return;
      }
      if (chosen == PoolAlgorithm::kOneDnn) {
        const Status status =
            OneDnnPool(ctx, PoolKind::kMax, dims, input.base<float>(),
                       output->base<float>());
        if (status.code() != error::UNIMPLEMENTED) {
          OP_REQUIRES_OK(ctx, status);
          return;
        }
      }
    }
    const T* from = input.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      MaxPoolImages(dims, begin, end, from, to);
    };
    ParallelFor(ctx, dims.batch, dims.Cost(), run);
  }
};

template <typename T, int kRank>
class MaxPoolGrad final
    : public PoolKernel,
      public std::conditional_t<std::is_same_v<T, float> && kRank == 4,
                                RestsOnPoolGrad, RestsOnNothing> {
 public:
  explicit MaxPoolGrad(OpKernelConstruction* ctx) : PoolKernel(ctx, kRank) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& orig_output = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    WindowAttrs read;
    const WindowAttrs* attrs = nullptr;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &read, &attrs));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(*attrs, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepth(*attrs, dims));
    OP_REQUIRES(ctx,
                orig_output.shape() == dims.OutputShape() &&
                    grad.shape() == dims.OutputShape(),
                errors::InvalidArgument(
                    attrs->op, ": Expected orig_output and grad shape to be ",
                    dims.OutputShape().DebugString(), ", but got ",
                    orig_output.shape().DebugString(), " and ",
                    grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    [[maybe_unused]] const PoolAlgorithm chosen = ChoosePool(
        PoolKind::kMax, PoolPass::kGrad, DataTypeToEnum<T>::value, dims);
    if constexpr (kRank == 5) {
      if (chosen == PoolAlgorithm::kEquals) {
        MaxPoolGradOfEquals(ctx, dims, input.base<T>(), orig_output.base<T>(),
                            grad.base<T>(), output->base<T>());
        return;
      }
    } else if constexpr (std::is_same_v<T, float>) {
      const Status status =
          RunFloatGrad(ctx, chosen, dims, input.base<float>(),
                       grad.base<float>(), output->base<float>());
      if (status.code() != error::UNIMPLEMENTED) {
        OP_REQUIRES_OK(ctx, status);
        return;
      }
    }
    const T* x = input.base<T>();
    const T* from = grad.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      MaxPoolGradImages(dims, begin, end, x, from, to);
    };
    ParallelFor(ctx, dims.batch, dims.Cost(), run);
  }
};

template <typename T, int kRank>
class MaxPoolGradGrad final : public PoolKernel {
 public:
  explicit MaxPoolGradGrad(OpKernelConstruction* ctx)
      : PoolKernel(ctx, kRank) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& orig_output = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    WindowAttrs read;
    const WindowAttrs* attrs = nullptr;
    OP_REQUIRES_OK(ctx, GetAttrs(ctx, &read, &attrs));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(*attrs, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepth(*attrs, dims));
    OP_REQUIRES(ctx,
                orig_output.shape() == dims.OutputShape() &&
                    grad.shape() == input.shape(),
                errors::InvalidArgument(
                    attrs->op, ": Expected orig_output shape to be ",
                    dims.OutputShape().DebugString(), " and grad shape ",
                    input.shape().DebugString(), ", but got ",
                    orig_output.shape().DebugString(), " and ",
                    grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    const T* x = input.base<T>();
    const T* from = grad.base<T>();
    T* to = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      MaxPoolGradGradImages(dims, begin, end, x, from, to);
    };
    ParallelFor(ctx, dims.batch, dims.Cost(), run);
  }
};

template <typename T>
using MaxPoolOp = MaxPool<T, 4>;
template <typename T>
using MaxPool3DOp = MaxPool<T, 5>;
template <typename T>
using MaxPoolGradOp = MaxPoolGrad<T, 4>;
template <typename T>
using MaxPool3DGradOp = MaxPoolGrad<T, 5>;
template <typename T>
using MaxPoolGradGradOp = MaxPoolGradGrad<T, 4>;
template <typename T>
using MaxPool3DGradGradOp = MaxPoolGradGrad<T, 5>;

REGISTER_KERNEL_FOR_TYPES(Name("MaxPool").Device(DEVICE_CPU), "T", MaxPoolOp,
                          float, Eigen::half, Eigen::bfloat16, double, int8,
                          int16, int32, int64_t, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("ksize")
                              .HostMemory("strides"),
                          "T", MaxPoolOp, float, Eigen::half, Eigen::bfloat16,
                          double, int8, int16, int32, int64_t, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGradV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("ksize")
                              .HostMemory("strides"),
                          "T", MaxPoolGradOp, float, Eigen::half,
                          Eigen::bfloat16, double, int8, int16, int32, int64_t,
                          uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGradGradV2")
                              .Device(DEVICE_CPU)
                              .HostMemory("ksize")
                              .HostMemory("strides"),
                          "T", MaxPoolGradGradOp, float, Eigen::half,
                          Eigen::bfloat16, double, int8, int16, int32, int64_t,
                          uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGrad").Device(DEVICE_CPU), "T",
                          MaxPoolGradOp, float, Eigen::half, Eigen::bfloat16,
                          double, int8, int16, int32, int64_t, uint8, uint16,
                          uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGradGrad").Device(DEVICE_CPU), "T",
                          MaxPoolGradGradOp, float, Eigen::half,
                          Eigen::bfloat16, double, int8, int16, int32, int64_t,
                          uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPool3D").Device(DEVICE_CPU), "T",
                          MaxPool3DOp, float, Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPool3DGrad").Device(DEVICE_CPU), "T",
                          MaxPool3DGradOp, float, Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPool3DGradGrad").Device(DEVICE_CPU), "T",
                          MaxPool3DGradGradOp, float, Eigen::half,
                          Eigen::bfloat16);

}  // namespace tensorwright
