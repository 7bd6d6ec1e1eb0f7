// SPDX-License-Identifier: Apache-2.0
// Kernels of AvgPool, AvgPool3D and their gradients.

#include <algorithm>
#include <functional>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/kernels/nn/pooling_ops_choose.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

template <typename T>
void AveragePoolImages(const PoolDimensions& d, int64_t begin, int64_t end,
                       const T* input, T* output) {
  using C = ComputeType<T>;
  const PoolStrides in(d, &WindowDim::input);
  ForEachWindow(d, begin, end, [&](int64_t to, const PoolWindow& w) {
    C sum(0);
    ForEachInWindow(in, w,
                    [&](int64_t at) { sum += static_cast<C>(input[at]); });
    output[to] = static_cast<T>(sum / static_cast<C>(w.size()));
  });
}

// `sums` are those of one image.
template <typename T, typename C>
void AddShares(const PoolDimensions& d, int64_t image, const T* grad, C* sums) {
  const PoolStrides in(d, &WindowDim::input);
  const int64_t first = image * in.batch;
  std::fill_n(sums, in.batch, C(0));
  ForEachWindow(d, image, image + 1, [&](int64_t from, const PoolWindow& w) {
    const C share = static_cast<C>(grad[from]) / static_cast<C>(w.size());
    ForEachInWindow(in, w, [&](int64_t at) { sums[at - first] += share; });
  });
}

// half and bfloat16 are summed as floats, because an element of many windows
// would lose the last bits of each.
template <typename T>
void AveragePoolGradImages(const PoolDimensions& d, int64_t begin, int64_t end,
                           const T* grad, T* input_grad) {
  const int64_t size = d.InputSize();
  if constexpr (kIsNarrowFloat<T>) {
    std::vector<float> sums(size);
    for (int64_t i = begin; i < end; ++i) {
      AddShares(d, i, grad, sums.data());
      NarrowFloats(sums.data(), input_grad + i * size, size);
    }
  } else {
    for (int64_t i = begin; i < end; ++i) {
      AddShares(d, i, grad, input_grad + i * size);
    }
  }
}

struct RestsOnPool {
  using Primitive = dnnl::pooling_forward;
};
struct RestsOnPoolGrad {
  using Primitive = dnnl::pooling_backward;
};

}  // namespace

// kRank is the rank of images, which is 5 if they have planes.
template <typename T, int kRank>
class AveragePool final
    : public OpKernel,
      public std::conditional_t<std::is_same_v<T, float>, RestsOnPool,
                                RestsOnNothing> {
 public:
  explicit AveragePool(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadPoolAttrs(ctx, kRank, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs_, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckNoDepthWindow(attrs_));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      if (ChoosePool(PoolKind::kAverage, PoolPass::kForward, DT_FLOAT, dims) ==
          PoolAlgorithm::kOneDnn) {
        const Status status =
            OneDnnPool(ctx, PoolKind::kAverage, dims, input.base<float>(),
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
      AveragePoolImages(dims, begin, end, from, to);
    };
    ParallelFor(ctx, dims.batch, dims.Cost(), run);
  }

 private:
  WindowAttrs attrs_;
};

template <typename T, int kRank>
class AveragePoolGrad final
    : public OpKernel,
      public std::conditional_t<std::is_same_v<T, float>, RestsOnPoolGrad,
                                RestsOnNothing> {
 public:
  explicit AveragePoolGrad(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadPoolAttrs(ctx, kRank, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    OP_REQUIRES(
        ctx, sizes.dims() == 1 && sizes.NumElements() == kRank,
        errors::InvalidArgument(
            attrs_.op, ": orig_input_shape must be 1-dimensional and ", kRank,
            " elements, got shape ", sizes.shape().DebugString()));
    TensorShape input_shape;
    for (int32 size : Flat<int32>(sizes)) {
      OP_REQUIRES(ctx, size >= 0,
                  errors::InvalidArgument(
                      attrs_.op,
                      ": orig_input_shape must not be negative, got ", size));
      OP_REQUIRES_OK(ctx, input_shape.AddDimWithStatus(size));
    }
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs_, input_shape, &dims));
    OP_REQUIRES_OK(ctx, CheckNoDepthWindow(attrs_));
    OP_REQUIRES(
        ctx, grad.shape() == dims.OutputShape(),
        errors::InvalidArgument(attrs_.op, ": Expected grad shape to be ",
                                dims.OutputShape().DebugString(), ", but got ",
                                grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input_shape, &output));
    if (output->NumElements() == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      if (ChoosePool(PoolKind::kAverage, PoolPass::kGrad, DT_FLOAT, dims) ==
          PoolAlgorithm::kOneDnn) {
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
    ParallelFor(ctx, dims.batch, dims.Cost(), run);
  }

 private:
  WindowAttrs attrs_;
};

template <typename T>
using AvgPoolOp = AveragePool<T, 4>;
template <typename T>
using AvgPool3DOp = AveragePool<T, 5>;
template <typename T>
using AvgPoolGradOp = AveragePoolGrad<T, 4>;
template <typename T>
using AvgPool3DGradOp = AveragePoolGrad<T, 5>;

REGISTER_KERNEL_FOR_TYPES(Name("AvgPool").Device(DEVICE_CPU), "T", AvgPoolOp,
                          float, Eigen::half, Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("AvgPoolGrad").Device(DEVICE_CPU).HostMemory("orig_input_shape"), "T",
    AvgPoolGradOp, float, Eigen::half, Eigen::bfloat16, double);
REGISTER_KERNEL_FOR_TYPES(Name("AvgPool3D").Device(DEVICE_CPU), "T",
                          AvgPool3DOp, float, Eigen::half, Eigen::bfloat16,
                          double);
REGISTER_KERNEL_FOR_TYPES(
    Name("AvgPool3DGrad").Device(DEVICE_CPU).HostMemory("orig_input_shape"),
    "T", AvgPool3DGradOp, float, Eigen::half, Eigen::bfloat16, double);

}  // namespace tensorwright
