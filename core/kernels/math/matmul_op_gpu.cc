// SPDX-License-Identifier: Apache-2.0
// MatMul and BatchMatMul on a GPU.
#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/blas.h"
#include "core/lib/gpu/driver.h"
#include "core/util/bcast.h"

namespace tensorwright {
namespace {

template <typename T>
constexpr gpu::BlasType BlasTypeOf() {
  if constexpr (std::is_same_v<T, Eigen::half>) {
    return gpu::BlasType::kHalf;
  } else if constexpr (std::is_same_v<T, Eigen::bfloat16>) {
    return gpu::BlasType::kBfloat16;
  } else if constexpr (std::is_same_v<T, float>) {
    return gpu::BlasType::kFloat;
  } else {
    return gpu::BlasType::kDouble;
  }
}

// An empty sum is 0.
Status MultiplyOrClear(OpKernelContext* ctx, const gpu::Product& p,
                       const void* a, const void* b, Tensor* c) {
  if (c->NumElements() == 0) return OkStatus();
  if (p.k > 0) return gpu::Multiply(GpuStream(ctx), p, a, b, c->data());
  return gpu::Current()->Set(GpuStream(ctx), c->data(), 0, c->TotalBytes());
}

template <typename T>
class MatMulOnGpu final : public OpKernel {
 public:
  explicit MatMulOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, a.dims() == 2 && b.dims() == 2,
                errors::InvalidArgument(
                    "MatMul: In[0] and In[1] must be matrices, got ",
                    a.shape().DebugString(), " and ", b.shape().DebugString()));
    gpu::Product p;
    p.type = BlasTypeOf<T>();
    p.transpose_a = transpose_a_;
    p.transpose_b = transpose_b_;
    p.m = a.dim_size(transpose_a_ ? 1 : 0);
    p.k = a.dim_size(transpose_a_ ? 0 : 1);
    p.n = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(
        ctx, p.k == b.dim_size(transpose_b_ ? 1 : 0),
        errors::InvalidArgument("MatMul: Matrix size-incompatible: In[0]: ",
                                a.shape().DebugString(),
                                ", In[1]: ", b.shape().DebugString()));
    p.SetDense();
    Tensor* product = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({p.m, p.n}), &product));
    OP_REQUIRES_OK(ctx, MultiplyOrClear(ctx, p, a.data(), b.data(), product));
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

// The batch of a tensor of matrices.
BCast::Vec BatchOf(const Tensor& t) {
  BCast::Vec sizes;
  for (int d = 0; d + 2 < t.dims(); ++d) sizes.push_back(t.dim_size(d));
  return sizes;
}

int64_t SizeOf(const BCast::Vec& sizes) {
  int64_t size = 1;
  for (const int64_t s : sizes) size *= s;
  return size;
}

template <typename T>
class BatchMatMulOnGpu final : public OpKernel {
 public:
  explicit BatchMatMulOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adj_y", &adj_y_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    const int rx = x.dims(), ry = y.dims();
    const bool broadcasts = type_string() != "BatchMatMul";
    OP_REQUIRES(ctx, rx >= 2 && ry >= 2 && (broadcasts || rx == ry),
                errors::InvalidArgument(
                    "BatchMatMul: In[0] and In[1] must have one rank >= 2, "
                    "got ",
                    x.shape().DebugString(), " and ", y.shape().DebugString()));
    const BCast::Vec batch_x = BatchOf(x), batch_y = BatchOf(y);
    const BCast bcast(batch_x, batch_y);
    OP_REQUIRES(ctx, broadcasts ? bcast.IsValid() : batch_x == batch_y,
                errors::InvalidArgument(
                    type_string(), ": the batches of In[0] and In[1] must ",
                    broadcasts ? "broadcast: " : "be the same: ",
                    x.shape().DebugString(), " vs ", y.shape().DebugString()));
    gpu::Product p;
    p.type = BlasTypeOf<T>();
    p.transpose_a = adj_x_;
    p.transpose_b = adj_y_;
    p.m = x.dim_size(adj_x_ ? rx - 1 : rx - 2);
    p.k = x.dim_size(adj_x_ ? rx - 2 : rx - 1);
    p.n = y.dim_size(adj_y_ ? ry - 2 : ry - 1);
    OP_REQUIRES(
        ctx, p.k == y.dim_size(adj_y_ ? ry - 1 : ry - 2),
        errors::InvalidArgument(
            "BatchMatMul: Matrix size-incompatible: In[0]: ",
            x.shape().DebugString(), ", In[1]: ", y.shape().DebugString()));
    TensorShape shape = BCast::ToShape(bcast.output_shape());
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(p.m));
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(p.n));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &product));
    p.SetDense();
    const int64_t batch = SizeOf(bcast.output_shape());
    const int64_t many_x = SizeOf(batch_x), many_y = SizeOf(batch_y);
    p.batch = batch;
    if ((many_x == batch || many_x == 1) && (many_y == batch || many_y == 1)) {
      if (many_x == 1) p.a_step = 0;
      if (many_y == 1) p.b_step = 0;
      OP_REQUIRES_OK(ctx, MultiplyOrClear(ctx, p, x.data(), y.data(), product));
      return;
    }
    if (product->NumElements() == 0 || p.k == 0) {
      OP_REQUIRES_OK(ctx, MultiplyOrClear(ctx, p, x.data(), y.data(), product));
      return;
    }
    OP_REQUIRES_OK(ctx, OneByOne(ctx, bcast, p, product));
  }

 private:
  // Each matrix of the product by itself, where both batches repeat.
  static Status OneByOne(OpKernelContext* ctx, const BCast& bcast,
                         gpu::Product p, Tensor* product) {
    const auto& sizes = bcast.result_shape();
    const T* const x = ctx->input(0).base<T>();
    const T* const y = ctx->input(1).base<T>();
    const int64_t batch = p.batch;
    p.batch = 1;
    for (int64_t i = 0; i < batch; ++i) {
      int64_t rest = i, at_x = 0, at_y = 0, step_x = 1, step_y = 1;
      for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
        const int64_t index = rest % sizes[d];
        rest /= sizes[d];
        if (bcast.x_reshape()[d] != 1) at_x += index * step_x;
        if (bcast.y_reshape()[d] != 1) at_y += index * step_y;
        step_x *= bcast.x_reshape()[d];
        step_y *= bcast.y_reshape()[d];
      }
      TF_RETURN_IF_ERROR(gpu::Multiply(GpuStream(ctx), p, x + at_x * p.a_step,
                                       y + at_y * p.b_step,
                                       product->base<T>() + i * p.c_step));
    }
    return OkStatus();
  }

  bool adj_x_ = false;
  bool adj_y_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("MatMul").Device(DEVICE_GPU), "T", MatMulOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatMul").Device(DEVICE_GPU), "T",
                          BatchMatMulOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("BatchMatMulV2").Device(DEVICE_GPU), "T",
                          BatchMatMulOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double);

}  // namespace
}  // namespace tensorwright
