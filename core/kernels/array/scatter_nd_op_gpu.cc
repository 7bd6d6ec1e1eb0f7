// SPDX-License-Identifier: Apache-2.0
// ScatterNd and TensorScatterUpdate, -Add, -Sub, -Min and -Max on a GPU: the
// host's side.  Indices are on the device, so bad ones are ignored there.

#include <algorithm>

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/array/scatter_nd_op_shapes.h"
#include "core/kernels/lib/gpu/device_moves_gpu.h"
#include "core/kernels/lib/gpu/scatter_gpu.h"
#include "core/kernels/lib/index_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Combines the updates with `out`, which has its first values.
template <typename T>
Status Scatter(OpKernelContext* ctx, GpuCombine combine, const Tensor& indices,
               const Tensor& updates, Tensor* out) {
  const int64_t depth = indices.dim_size(indices.dims() - 1);
  if (depth > GpuScatter::kMaxDepth) {
    return errors::Unimplemented("A GPU takes at most ", GpuScatter::kMaxDepth,
                                 " coordinates for a slice, got ", depth);
  }
  const CoordinateSpace space = MakeCoordinateSpace(out->shape(), depth);
  TensorShape rows = indices.shape();
  rows.RemoveLastDims(1);
  GpuScatter scatter{.combine = combine,
                     .indices = indices.data(),
                     .index_bytes = DataTypeSize(indices.dtype()),
                     .rows = rows.num_elements(),
                     .slice = space.slice,
                     .depth = static_cast<int>(depth),
                     .limits = {},
                     .strides = {},
                     .updates = updates.data(),
                     .out = out->data()};
  std::copy(space.limits.begin(), space.limits.end(), scatter.limits);
  std::copy(space.strides.begin(), space.strides.end(), scatter.strides);
  return GpuScatterRows<gpu::Storage<T>>(GpuStream(ctx), scatter);
}

template <typename T>
class ScatterNdOnGpu final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& updates = ctx->input(1);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(2), &shape));
    OP_REQUIRES_OK(ctx, CheckShapes(indices, updates.shape(), shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const char zero[8] = {};
    OP_REQUIRES_OK(ctx, GpuFill(GpuStream(ctx), zero, out->NumElements(),
                                sizeof(T), out->data()));
    OP_REQUIRES_OK(ctx,
                   Scatter<T>(ctx, GpuCombine::kAdd, indices, updates, out));
  }
};

template <typename T, GpuCombine kCombine>
class TensorScatterOnGpu : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const Tensor& indices = ctx->input(1);
    const Tensor& updates = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckShapes(indices, updates.shape(), in.shape()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, in.shape(), &out));
    if (out->NumElements() == 0) return;
    if (out->data() != in.data()) {
      GpuStridedMove copy;
      copy.rank = 1;
      copy.sizes[0] = in.NumElements();
      copy.from[0] = copy.to[0] = 1;
      OP_REQUIRES_OK(ctx, GpuMove(GpuStream(ctx), copy, sizeof(T), in.data(),
                                  out->data()));
    }
    OP_REQUIRES_OK(ctx, Scatter<T>(ctx, kCombine, indices, updates, out));
  }
};
template <typename T>
using TensorScatterUpdateOnGpu = TensorScatterOnGpu<T, GpuCombine::kAssign>;
template <typename T>
using TensorScatterAddOnGpu = TensorScatterOnGpu<T, GpuCombine::kAdd>;
template <typename T>
using TensorScatterSubOnGpu = TensorScatterOnGpu<T, GpuCombine::kSub>;
template <typename T>
using TensorScatterMinOnGpu = TensorScatterOnGpu<T, GpuCombine::kMin>;
template <typename T>
using TensorScatterMaxOnGpu = TensorScatterOnGpu<T, GpuCombine::kMax>;

#define TW_SCATTERS_ON_GPU(builder, kernel)                                   \
  REGISTER_KERNEL_FOR_TYPES(                                                  \
      builder.Device(DEVICE_GPU).TypeConstraint<int32_t>("Tindices"), "T",    \
      kernel, Eigen::half, Eigen::bfloat16, float, double, int32_t, int64_t); \
  REGISTER_KERNEL_FOR_TYPES(                                                  \
      builder.Device(DEVICE_GPU).TypeConstraint<int64_t>("Tindices"), "T",    \
      kernel, Eigen::half, Eigen::bfloat16, float, double, int32_t, int64_t)
TW_SCATTERS_ON_GPU(Name("ScatterNd").HostMemory("shape"), ScatterNdOnGpu);
TW_SCATTERS_ON_GPU(Name("TensorScatterUpdate"), TensorScatterUpdateOnGpu);
TW_SCATTERS_ON_GPU(Name("TensorScatterAdd"), TensorScatterAddOnGpu);
TW_SCATTERS_ON_GPU(Name("TensorScatterSub"), TensorScatterSubOnGpu);
TW_SCATTERS_ON_GPU(Name("TensorScatterMin"), TensorScatterMinOnGpu);
TW_SCATTERS_ON_GPU(Name("TensorScatterMax"), TensorScatterMaxOnGpu);

}  // namespace
}  // namespace tensorwright
