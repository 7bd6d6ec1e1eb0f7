// SPDX-License-Identifier: Apache-2.0
// TopK and TopKV2 on a GPU: the host's side.

#include "core/kernels/nn/topk_op_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/nn/topk_op_shapes.h"

namespace tensorwright {
namespace {

template <typename T>
class TopKOnGpu final : public OpKernel {
 public:
  explicit TopKOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (num_inputs() == 1) {
      int32 k = 0;
      OP_REQUIRES_OK(ctx, ctx->GetAttr("k", &k));
      k_ = k;
    }
  }

  // The results are sorted whether or not attr `sorted` asks for it.
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    int64_t k = k_;
    if (num_inputs() == 2) OP_REQUIRES_OK(ctx, ReadTopK(ctx->input(1), &k));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, TopKShape(x.shape(), k, &shape));
    Tensor* values = nullptr;
    Tensor* indices = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &indices));
    if (values->NumElements() == 0) return;
    const int64_t n = x.dim_size(x.dims() - 1);
    OP_REQUIRES_OK(ctx, GpuTopK<gpu::Storage<T>>(
                            GpuStream(ctx), x.data(), x.NumElements() / n, n, k,
                            DataTypeSize(indices->dtype()), values->data(),
                            indices->data()));
  }

 private:
  int64_t k_ = 0;
};

REGISTER_KERNEL_FOR_TYPES(Name("TopK").Device(DEVICE_GPU), "T", TopKOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double, int32_t,
                          int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("TopKV2")
                              .Device(DEVICE_GPU)
                              .HostMemory("k")
                              .TypeConstraint<int32_t>("index_type"),
                          "T", TopKOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("TopKV2")
                              .Device(DEVICE_GPU)
                              .HostMemory("k")
                              .TypeConstraint<int64_t>("index_type"),
                          "T", TopKOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
