// SPDX-License-Identifier: Apache-2.0
// Sum, Mean, Prod, Max, Min, All, Any and EuclideanNorm on a GPU: the host's
// side of core/kernels/lib/reduction_ops_gpu_*.cu.cc.

#include "core/kernels/lib/gpu/reduction_ops_gpu.h"

#include <vector>

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/gpu/reduction_axes.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// input, reduction_indices (on the host) -> output.
class GpuReductionOpBase : public OpKernel {
 public:
  // `changes_one`: the reduction of one element is another one.
  GpuReductionOpBase(OpKernelConstruction* ctx, GpuReduceFn reduce,
                     DataType sum_dtype, bool changes_one)
      : OpKernel(ctx),
        reduce_(reduce),
        sum_dtype_(sum_dtype),
        changes_one_(changes_one) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    ReductionAxes axes;
    OP_REQUIRES_OK(
        ctx, ResolveReduction(x.shape(), ctx->input(1), keep_dims_, &axes));
    auto& runs = axes.runs;
    if (runs.size() == 1 && changes_one_) runs.push_back(1);
    if (runs.size() == 1) {
      Tensor same;
      OP_REQUIRES(ctx, same.CopyFrom(x, axes.shape),
                  errors::Internal(type_string(), ": sizes differ"));
      ctx->set_output(0, same);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, axes.shape, &out));
    if (out->NumElements() == 0) return;
    // Passes from the last reduced run to the first.
    Tensor from = x;
    bool from_sums = false;
    int64_t inner = 1;
    for (int i = static_cast<int>(runs.size()) - 1; i >= 0; --i) {
      if (i % 2 == 0) {
        inner *= runs[i];
        continue;
      }
      GpuReducePass pass{.outer = 1, .reduce = runs[i], .inner = inner};
      for (int j = 0; j < i; ++j) pass.outer *= runs[j];
      pass.count = axes.count;
      const int64_t pieces =
          GpuReducePieces(pass.outer, pass.reduce, pass.inner);
      if (pieces > 1) {
        pass.pieces = pieces;
        OP_REQUIRES_OK(ctx, ReduceToSums(ctx, pass, from_sums, &from));
        from_sums = true;
        pass.pieces = 1;
        pass.reduce = pieces;
      }
      if (i == 1) {
        pass.from_sums = from_sums;
        OP_REQUIRES_OK(ctx,
                       reduce_(GpuStream(ctx), pass, from.data(), out->data()));
        return;
      }
      OP_REQUIRES_OK(ctx, ReduceToSums(ctx, pass, from_sums, &from));
      from_sums = true;
    }
  }

 private:
  // Makes *x its sums.
  Status ReduceToSums(OpKernelContext* ctx, GpuReducePass pass, bool from_sums,
                      Tensor* x) const {
    Tensor sums;
    TF_RETURN_IF_ERROR(ctx->allocate_temp(
        sum_dtype_, TensorShape({pass.outer * pass.pieces * pass.inner}),
        &sums));
    pass.from_sums = from_sums;
    pass.to_result = false;
    TF_RETURN_IF_ERROR(reduce_(GpuStream(ctx), pass, x->data(), sums.data()));
    *x = std::move(sums);
    return OkStatus();
  }

  const GpuReduceFn reduce_;
  const DataType sum_dtype_;
  const bool changes_one_;
  bool keep_dims_ = false;
};

template <template <typename> class R, bool kChangesOne = false>
struct ReductionOnGpu {
  template <typename T>
  class Op final : public GpuReductionOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : GpuReductionOpBase(ctx, &GpuReduce<R, gpu::Storage<T>>,
                             DataTypeToEnum<ComputeType<T>>::value,
                             kChangesOne) {}
  };
};

#define TW_REDUCTION_ON_GPU(op, ...)                                     \
  REGISTER_KERNEL_FOR_TYPES(                                             \
      Name(#op).Device(DEVICE_GPU).HostMemory("reduction_indices"), "T", \
      ReductionOnGpu<gpu_reducer::op>::Op, __VA_ARGS__)
TW_REDUCTION_ON_GPU(Sum, Eigen::half, Eigen::bfloat16, float, double, int64_t);
TW_REDUCTION_ON_GPU(Mean, Eigen::half, Eigen::bfloat16, float, double, int64_t);
TW_REDUCTION_ON_GPU(Prod, Eigen::half, Eigen::bfloat16, float, double, int64_t);
TW_REDUCTION_ON_GPU(Max, Eigen::half, Eigen::bfloat16, float, double, int64_t);
TW_REDUCTION_ON_GPU(Min, Eigen::half, Eigen::bfloat16, float, double, int64_t);
template <typename T>
using EuclideanNormOnGpu =
    ReductionOnGpu<gpu_reducer::EuclideanNorm, /*kChangesOne=*/true>::Op<T>;
REGISTER_KERNEL_FOR_TYPES(
    Name("EuclideanNorm").Device(DEVICE_GPU).HostMemory("reduction_indices"),
    "T", EuclideanNormOnGpu, Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_BUILDER(
    Name("All").Device(DEVICE_GPU).HostMemory("reduction_indices"),
    ReductionOnGpu<gpu_reducer::All>::Op<bool>);
REGISTER_KERNEL_BUILDER(
    Name("Any").Device(DEVICE_GPU).HostMemory("reduction_indices"),
    ReductionOnGpu<gpu_reducer::Any>::Op<bool>);

// int32 stays in host memory, because on a GPU it is shapes and indices.
#define TW_REDUCTION_ON_HOST(op, reducer)                      \
  REGISTER_KERNEL_BUILDER(Name(op)                             \
                              .Device(DEVICE_GPU)              \
                              .HostMemory("input")             \
                              .HostMemory("reduction_indices") \
                              .HostMemory("output")            \
                              .TypeConstraint<int32>("T"),     \
                          Reduction<reducer>::Op<int32>)
TW_REDUCTION_ON_HOST("Sum", SumReducer);
TW_REDUCTION_ON_HOST("Prod", ProdReducer);
TW_REDUCTION_ON_HOST("Max", MaxReducer);
TW_REDUCTION_ON_HOST("Min", MinReducer);

}  // namespace
}  // namespace tensorwright
