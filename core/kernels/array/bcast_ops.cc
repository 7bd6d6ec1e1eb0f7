// SPDX-License-Identifier: Apache-2.0
// BroadcastArgs and BroadcastGradientArgs: how two shapes broadcast, as
// tensors.

#include <algorithm>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/util/bcast.h"

namespace tensorwright {
namespace {

// Reads a vector input as a shape.
template <typename T>
Status ReadShape(OpKernelContext* ctx, int i, BCast::Vec* out) {
  const Tensor& s = ctx->input(i);
  if (s.dims() != 1) {
    return errors::InvalidArgument("In[", i, "] must be a vector, got shape ",
                                   s.shape().DebugString());
  }
  const absl::Span<const T> sizes = Flat<T>(s);
  out->assign(sizes.begin(), sizes.end());
  return OkStatus();
}

template <typename T>
Status WriteVector(OpKernelContext* ctx, int i, const BCast::Vec& values) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(
      i, TensorShape({static_cast<int64_t>(values.size())}), &out));
  std::transform(values.begin(), values.end(), out->base<T>(),
                 [](int64_t v) { return static_cast<T>(v); });
  return OkStatus();
}

Status Incompatible(OpKernelContext* ctx) {
  return errors::InvalidArgument("Incompatible shapes: [",
                                 ctx->input(0).SummarizeValue(10), "] vs. [",
                                 ctx->input(1).SummarizeValue(10), "]");
}

template <typename T>
class BCastArgsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    BCast::Vec s0, s1;
    OP_REQUIRES_OK(ctx, ReadShape<T>(ctx, 0, &s0));
    OP_REQUIRES_OK(ctx, ReadShape<T>(ctx, 1, &s1));
    const BCast bcast(s0, s1);
    OP_REQUIRES(ctx, bcast.IsValid(), Incompatible(ctx));
    OP_REQUIRES_OK(ctx, WriteVector<T>(ctx, 0, bcast.output_shape()));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_FOR_TYPES(Name("BroadcastArgs")
                              .Device(DEVICE_CPU)
                              .HostMemory("s0")
                              .HostMemory("s1")
                              .HostMemory("r0"),
                          "T", BCastArgsOp, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("BroadcastArgs")
                              .Device(DEVICE_GPU)
                              .HostMemory("s0")
                              .HostMemory("s1")
                              .HostMemory("r0"),
                          "T", BCastArgsOp, int32_t, int64_t);

template <typename T>
class BCastGradArgsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    BCast::Vec s0, s1;
    OP_REQUIRES_OK(ctx, ReadShape<T>(ctx, 0, &s0));
    OP_REQUIRES_OK(ctx, ReadShape<T>(ctx, 1, &s1));
    const BCast bcast(s0, s1);
    OP_REQUIRES(ctx, bcast.IsValid(), Incompatible(ctx));
    OP_REQUIRES_OK(ctx, WriteVector<T>(ctx, 0, bcast.grad_x_reduce_idx()));
    OP_REQUIRES_OK(ctx, WriteVector<T>(ctx, 1, bcast.grad_y_reduce_idx()));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_FOR_TYPES(Name("BroadcastGradientArgs")
                              .Device(DEVICE_CPU)
                              .HostMemory("s0")
                              .HostMemory("s1")
                              .HostMemory("r0")
                              .HostMemory("r1"),
                          "T", BCastGradArgsOp, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("BroadcastGradientArgs")
                              .Device(DEVICE_GPU)
                              .HostMemory("s0")
                              .HostMemory("s1")
                              .HostMemory("r0")
                              .HostMemory("r1"),
                          "T", BCastGradArgsOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
