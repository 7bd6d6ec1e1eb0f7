// SPDX-License-Identifier: Apache-2.0
// AddN and AccumulateNV2 on a GPU: the host's side.

#include "core/kernels/math/aggregate_ops_gpu.h"

#include <algorithm>

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

template <typename T>
class AddNOnGpu final : public OpKernel {
 public:
  explicit AddNOnGpu(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    if (!ctx->HasAttr("shape")) return;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &expected_));
  }

  void Compute(OpKernelContext* ctx) override {
    const TensorShape& shape = ctx->input(0).shape();
    const int num = ctx->num_inputs();
    for (int i = 1; i < num; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).shape() == shape,
                  errors::InvalidArgument(
                      type_string(),
                      ": Inputs to operation must have the same size and "
                      "shape.  Input 0: ",
                      shape.DebugString(), " != input ", i, ": ",
                      ctx->input(i).shape().DebugString()));
    }
    OP_REQUIRES(ctx, expected_.IsCompatibleWith(shape),
                errors::InvalidArgument(
                    type_string(), ": inputs must have the shape of the attr, ",
                    expected_.DebugString(), ", got ", shape.DebugString()));
    if (num == 1) {
      ctx->set_output(0, ctx->input(0));
      return;
    }
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->forward_input_or_allocate_output({0}, 0, shape, &sum));
    if (sum->NumElements() == 0) return;
    // Many inputs are added some at a time, to the sum of those before.
    for (int done = 0; done < num;) {
      GpuAddends addends;
      if (done > 0) addends.in[addends.count++] = sum->data();
      while (addends.count < GpuAddends::kMost && done < num) {
        addends.in[addends.count++] = ctx->input(done++).data();
      }
      OP_REQUIRES_OK(ctx,
                     GpuAddN<gpu::Storage<T>>(GpuStream(ctx), addends,
                                              sum->NumElements(), sum->data()));
    }
  }

 private:
  // The shape that AccumulateNV2 declares; AddN leaves it unknown.
  PartialTensorShape expected_;
};
REGISTER_KERNEL_FOR_TYPES(Name("AddN").Device(DEVICE_GPU), "T", AddNOnGpu,
                          Eigen::half, Eigen::bfloat16, float, double, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("AccumulateNV2").Device(DEVICE_GPU), "T",
                          AddNOnGpu, Eigen::half, Eigen::bfloat16, float,
                          double, int64_t);

}  // namespace
}  // namespace tensorwright
