// SPDX-License-Identifier: Apache-2.0
// BiasAdd, BiasAddV1, BiasAddGrad and L2Loss on a GPU: the host's side of loops
// that elementwise ops and reductions have.

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/gpu/cwise_ops_gpu.h"
#include "core/kernels/lib/gpu/reduction_ops_gpu.h"
#include "core/kernels/nn/bias_op_shapes.h"
#include "core/lib/gpu/floats.h"

namespace tensorwright {
namespace {

template <typename T>
class BiasOnGpu final : public OpKernel {
 public:
  explicit BiasOnGpu(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    OP_REQUIRES_OK(ctx, GetFormat(ctx, &format_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    const Tensor& bias = ctx->input(1);
    BiasShape shape;
    OP_REQUIRES_OK(ctx, SplitAtDepth(value.shape(), format_, &shape));
    OP_REQUIRES_OK(ctx, CheckBias(value.shape(), bias.shape(), shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, value.shape(), &out));
    if (out->NumElements() == 0) return;
    GpuBroadcast repeated;
    repeated.rank = 3;
    const int64_t sizes[] = {shape.outer, shape.depth, shape.inner};
    for (int d = 0; d < 3; ++d) {
      repeated.sizes[d] = sizes[d];
      repeated.y_strides[d] = d == 1 ? 1 : 0;
    }
    repeated.x_strides[0] = shape.depth * shape.inner;
    repeated.x_strides[1] = shape.inner;
    repeated.x_strides[2] = 1;
    OP_REQUIRES_OK(ctx, (GpuBinary<functor::Add, gpu::Storage<T>>(
                            GpuStream(ctx), value.data(), bias.data(),
                            out->data(), out->NumElements(), &repeated)));
  }

 private:
  TensorFormat format_ = FORMAT_NHWC;
};
REGISTER_KERNEL_FOR_TYPES(Name("BiasAdd").Device(DEVICE_GPU), "T", BiasOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("BiasAddV1").Device(DEVICE_GPU), "T", BiasOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double, int64_t);

// Reduces x, seen as [outer, reduce, inner], into sums, or into `out` if that
// is given.
template <template <typename> class R, typename T>
Status Reduce(OpKernelContext* ctx, Tensor* x, bool* from_sums, int64_t outer,
              int64_t reduce, int64_t inner, Tensor* out) {
  GpuReducePass pass{.outer = outer, .reduce = reduce, .inner = inner};
  pass.count = reduce;
  const auto to_sums = [&] {
    Tensor sums;
    TF_RETURN_IF_ERROR(ctx->allocate_temp(
        DataTypeToEnum<ComputeType<T>>::value,
        TensorShape({pass.outer * pass.pieces * pass.inner}), &sums));
    pass.from_sums = *from_sums;
    pass.to_result = false;
    const Status status = GpuReduce<R, gpu::Storage<T>>(GpuStream(ctx), pass,
                                                        x->data(), sums.data());
    *x = std::move(sums);
    *from_sums = true;
    return status;
  };
  pass.pieces = GpuReducePieces(outer, reduce, inner);
  if (pass.pieces > 1) {
    TF_RETURN_IF_ERROR(to_sums());
    pass.reduce = pass.pieces;
    pass.pieces = 1;
  }
  if (out == nullptr) return to_sums();
  pass.from_sums = *from_sums;
  pass.to_result = true;
  return GpuReduce<R, gpu::Storage<T>>(GpuStream(ctx), pass, x->data(),
                                       out->data());
}

template <typename T>
class BiasGradOnGpu final : public OpKernel {
 public:
  explicit BiasGradOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, GetFormat(ctx, &format_));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor grad = ctx->input(0);
    BiasShape shape;
    OP_REQUIRES_OK(ctx, SplitAtDepth(grad.shape(), format_, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({shape.depth}), &out));
    if (shape.depth == 0) return;
    bool from_sums = false;
    if (shape.inner > 1) {
      // Sums over each plane, then over the batch.
      OP_REQUIRES_OK(ctx, (Reduce<gpu_reducer::Sum, T>(
                              ctx, &grad, &from_sums, shape.outer * shape.depth,
                              shape.inner, 1, nullptr)));
    } else if (shape.inner == 0) {
      shape.outer = 0;
    }
    OP_REQUIRES_OK(
        ctx, (Reduce<gpu_reducer::Sum, T>(ctx, &grad, &from_sums, 1,
                                          shape.outer, shape.depth, out)));
  }

 private:
  TensorFormat format_ = FORMAT_NHWC;
};
REGISTER_KERNEL_FOR_TYPES(Name("BiasAddGrad").Device(DEVICE_GPU), "T",
                          BiasGradOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double);

template <typename T>
class L2LossOnGpu final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor t = ctx->input(0);
    Tensor* loss = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &loss));
    bool from_sums = false;
    OP_REQUIRES_OK(ctx, (Reduce<gpu_reducer::L2Loss, T>(
                            ctx, &t, &from_sums, 1, t.NumElements(), 1, loss)));
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("L2Loss").Device(DEVICE_GPU), "T", L2LossOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
