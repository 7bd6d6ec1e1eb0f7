// SPDX-License-Identifier: Apache-2.0
// Shape, ShapeN, Size and Rank of a tensor, as tensors.

#include <cstdint>
#include <limits>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"

namespace tensorwright {
namespace {

// A size that fits output type T.
template <typename T>
Status CheckFits(absl::string_view op, int64_t size) {
  if (size > std::numeric_limits<T>::max()) {
    return errors::InvalidArgument(op, ": output type is 32-bit, but got size ",
                                   size);
  }
  return OkStatus();
}

// Also serves ShapeN: one output for each input.
template <typename OutType>
class ShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const TensorShape& shape = ctx->input(i).shape();
      Tensor* out = nullptr;
      OP_REQUIRES_OK(
          ctx, ctx->allocate_output(i, TensorShape({shape.dims()}), &out));
      OutType* sizes = out->base<OutType>();
      for (int d = 0; d < shape.dims(); ++d) {
        OP_REQUIRES_OK(ctx,
                       CheckFits<OutType>(type_string(), shape.dim_size(d)));
        sizes[d] = static_cast<OutType>(shape.dim_size(d));
      }
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_CPU_AND_GPU_KERNEL_FOR_TYPES(Name("Shape").HostMemory("output"),
                                      "out_type", ShapeOp, int32_t, int64_t);
REGISTER_CPU_AND_GPU_KERNEL_FOR_TYPES(Name("ShapeN").HostMemory("output"),
                                      "out_type", ShapeOp, int32_t, int64_t);

template <typename OutType>
class SizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int64_t size = ctx->input(0).NumElements();
    OP_REQUIRES_OK(ctx, CheckFits<OutType>(type_string(), size));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<OutType>() = static_cast<OutType>(size);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_CPU_AND_GPU_KERNEL_FOR_TYPES(Name("Size").HostMemory("output"),
                                      "out_type", SizeOp, int32_t, int64_t);

class RankOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<int32_t>() = ctx->input(0).dims();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_CPU_AND_GPU_KERNEL(Name("Rank").HostMemory("output"), RankOp);

}  // namespace
}  // namespace tensorwright
