// SPDX-License-Identifier: Apache-2.0
// Kernels of BiasAdd, BiasAddV1 and BiasAddGrad.

#include <algorithm>
#include <functional>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/nn/bias_op_shapes.h"
#include "core/util/elementwise.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

class BiasOpBase : public OpKernel {
 public:
  BiasOpBase(OpKernelConstruction* ctx, BinaryLoopFn add)
      : OpKernel(ctx, /*is_expensive=*/false), add_(add) {
    OP_REQUIRES_OK(ctx, GetFormat(ctx, &format_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    const Tensor& bias = ctx->input(1);
    BiasShape shape;
    OP_REQUIRES_OK(ctx, SplitAtDepth(value.shape(), format_, &shape));
    OP_REQUIRES_OK(ctx, CheckBias(value.shape(), bias.shape(), shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, value.shape(), &output));
    if (output->NumElements() == 0) return;
    if (shape.inner == 1) {
      OP_REQUIRES_OK(ctx, AddToRows(ctx, value, bias, shape, output));
    } else {
      AddToPlanes(ctx, value, bias, shape, output);
    }
  }

 private:
  // Adds [outer, depth] + [depth].  Adds short rows in groups, to a bias
  // repeated as often, so that a call of the loop does enough.
  Status AddToRows(OpKernelContext* ctx, const Tensor& value,
                   const Tensor& bias, const BiasShape& s,
                   Tensor* output) const {
    constexpr int64_t kWorthwhile = 512;
    const int64_t size = DataTypeSize(value.dtype());
    const int64_t group =
        std::clamp<int64_t>(kWorthwhile / s.depth, 1, s.outer);
    Tensor repeated = bias;
    if (group > 1) {
      TF_RETURN_IF_ERROR(ctx->allocate_temp(
          bias.dtype(), TensorShape({group * s.depth}), &repeated));
      for (int64_t i = 0; i < group; ++i) {
        std::copy_n(bias.base<char>(), s.depth * size,
                    repeated.base<char>() + i * s.depth * size);
      }
    }
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        const int64_t row = g * group;
        const int64_t n = std::min(group, s.outer - row) * s.depth;
        const int64_t at = row * s.depth * size;
        add_(value.base<char>() + at, repeated.data(),
             output->base<char>() + at, n, 1, 1);
      }
    };
    const int64_t groups = (s.outer + group - 1) / group;
    ParallelFor(ctx, groups, group * s.depth / 4 + 10, run);
    return OkStatus();
  }

  // Adds [outer, depth, inner] + [depth, 1].
  void AddToPlanes(OpKernelContext* ctx, const Tensor& value,
                   const Tensor& bias, const BiasShape& s,
                   Tensor* output) const {
    const int64_t size = DataTypeSize(value.dtype());
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        add_(value.base<char>() + p * s.inner * size,
             bias.base<char>() + p % s.depth * size,
             output->base<char>() + p * s.inner * size, s.inner, 1, 0);
      }
    };
    ParallelFor(ctx, s.outer * s.depth, s.inner / 4 + 10, run);
  }

  const BinaryLoopFn add_;
  TensorFormat format_ = FORMAT_NHWC;
};

template <typename T>
class BiasOp final : public BiasOpBase {
 public:
  explicit BiasOp(OpKernelConstruction* ctx)
      : BiasOpBase(ctx, &BinaryLoop<functor::Add, T>) {}
};

class BiasGradOpBase : public OpKernel {
 public:
  BiasGradOpBase(OpKernelConstruction* ctx, const ReductionLoops& loops)
      : OpKernel(ctx), loops_(loops) {
    OP_REQUIRES_OK(ctx, GetFormat(ctx, &format_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grad = ctx->input(0);
    BiasShape shape;
    OP_REQUIRES_OK(ctx, SplitAtDepth(grad.shape(), format_, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({shape.depth}), &output));
    if (shape.depth == 0) return;
    if (shape.inner == 1) {
      OP_REQUIRES_OK(ctx, ReduceWith(ctx, loops_, grad, 1, shape.outer,
                                     shape.depth, output));
      return;
    }
    // Sums over each plane, then over the batch.
    Tensor planes, sums;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(
                            loops_.sum_dtype,
                            TensorShape({shape.outer, shape.depth}), &planes));
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(loops_.sum_dtype,
                                           TensorShape({shape.depth}), &sums));
    OP_REQUIRES_OK(ctx, ReduceOnePass(ctx, loops_.first, loops_, grad.data(),
                                      DataTypeSize(grad.dtype()),
                                      shape.outer * shape.depth, shape.inner, 1,
                                      planes.data()));
    OP_REQUIRES_OK(ctx, ReduceOnePass(ctx, loops_.next, loops_, planes.data(),
                                      DataTypeSize(loops_.sum_dtype), 1,
                                      shape.outer, shape.depth, sums.data()));
    loops_.finish(sums.data(), output->data(), shape.depth, 1);
  }

 private:
  const ReductionLoops loops_;
  TensorFormat format_ = FORMAT_NHWC;
};

template <typename T>
class BiasGradOp final : public BiasGradOpBase {
 public:
  explicit BiasGradOp(OpKernelConstruction* ctx)
      : BiasGradOpBase(ctx, LoopsOf<SumReducer, T>()) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("BiasAdd").Device(DEVICE_CPU), "T", BiasOp, int8,
                          int16, int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("BiasAddV1").Device(DEVICE_CPU), "T", BiasOp,
                          int8, int16, int32, int64_t, uint8, uint16, uint32,
                          uint64, Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);
const ElementwiseRegistrar bias_add_traits("BiasAdd", ElementwiseKind::kBias);
const ElementwiseRegistrar bias_add_v1_traits("BiasAddV1",
                                              ElementwiseKind::kBias);
REGISTER_KERNEL_FOR_TYPES(Name("BiasAddGrad").Device(DEVICE_CPU), "T",
                          BiasGradOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);

}  // namespace tensorwright
