// SPDX-License-Identifier: Apache-2.0
// Cumsum and Cumprod on a GPU: the host's side.

#include "core/kernels/math/scan_ops_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/math/scan_ops_shapes.h"

namespace tensorwright {
namespace {

template <typename T, bool kProduct>
class ScanOnGpu : public OpKernel {
 public:
  explicit ScanOnGpu(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("exclusive", &exclusive_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reverse", &reverse_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    ScanShape scan;
    OP_REQUIRES_OK(ctx, ResolveScan(x.shape(), ctx->input(1), &scan));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuScan<gpu::Storage<T>, kProduct>(
                            GpuStream(ctx), x.data(), scan.outer, scan.n,
                            scan.inner, exclusive_, reverse_, out->data()));
  }

 private:
  bool exclusive_ = false;
  bool reverse_ = false;
};
template <typename T>
using CumsumOnGpu = ScanOnGpu<T, false>;
template <typename T>
using CumprodOnGpu = ScanOnGpu<T, true>;

REGISTER_KERNEL_FOR_TYPES(Name("Cumsum").Device(DEVICE_GPU).HostMemory("axis"),
                          "T", CumsumOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(Name("Cumprod").Device(DEVICE_GPU).HostMemory("axis"),
                          "T", CumprodOnGpu, Eigen::half, Eigen::bfloat16,
                          float, double);

}  // namespace
}  // namespace tensorwright
