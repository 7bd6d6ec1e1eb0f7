// SPDX-License-Identifier: Apache-2.0
// Select and SelectV2 on a GPU: the host's side.

#include "core/framework/gpu_device_context.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/gpu/device_moves_gpu.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/math/cwise_ops_select_walk.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class SelectOnGpu final : public OpKernel {
 public:
  explicit SelectOnGpu(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckSelect(condition.shape(), t.shape(), e.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {1, 2}, 0, t.shape(), &output));
    if (output->NumElements() == 0) return;
    const int64_t rows = condition.NumElements();
    const int64_t width = t.NumElements() / rows;
    const SelectMove move{.condition = condition.data(),
                          .yes = t.data(),
                          .no = e.data(),
                          .rank = 2,
                          .sizes = {rows, width},
                          .strides = {{1, 0}, {width, 1}, {width, 1}},
                          .size = DataTypeSize(t.dtype()),
                          .out = output->data()};
    OP_REQUIRES_OK(ctx, GpuSelect(GpuStream(ctx), move));
  }
};
REGISTER_CHOOSER_ON_GPU(SelectOnGpu, "T", Name("Select"));

class SelectV2OnGpu final : public OpKernel {
 public:
  explicit SelectV2OnGpu(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, SelectV2Shape(condition.shape(), t.shape(), e.shape(), &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({1, 2}, 0, shape, &output));
    if (output->NumElements() == 0) return;
    const SelectWalk walk(shape, {&condition, &t, &e});
    SelectMove move{.condition = condition.data(),
                    .yes = t.data(),
                    .no = e.data(),
                    .rank = static_cast<int>(walk.sizes().size()),
                    .sizes = {},
                    .strides = {},
                    .size = DataTypeSize(t.dtype()),
                    .out = output->data()};
    OP_REQUIRES(ctx, move.rank <= SelectMove::kMaxRank,
                errors::Unimplemented(
                    "SelectV2: a GPU takes at most ", SelectMove::kMaxRank,
                    " dimensions that do not fold, got ", move.rank));
    for (int d = 0; d < move.rank; ++d) {
      move.sizes[d] = walk.sizes()[d];
      for (int k = 0; k < SelectWalk::kInputs; ++k) {
        move.strides[k][d] = walk.strides()[d][k];
      }
    }
    OP_REQUIRES_OK(ctx, GpuSelect(GpuStream(ctx), move));
  }
};
REGISTER_CHOOSER_ON_GPU(SelectV2OnGpu, "T", Name("SelectV2"));

}  // namespace
}  // namespace tensorwright
