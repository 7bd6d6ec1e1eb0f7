// SPDX-License-Identifier: Apache-2.0
// The kernel of _FusedConv2D: a convolution, a bias and an activation.

#include <memory>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/fused_epilogue.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/fused_program.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

class FusedConv2DOp final : public OpKernel {
 public:
  using Primitive = dnnl::convolution_forward;

  explicit FusedConv2DOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
    kept_filter_ = KeptFilter::ForNode(def());
    FusedProgram program;
    OP_REQUIRES_OK(
        ctx, FusedProgram::Parse(AttrSlice(def()), num_inputs(), &program));
    OP_REQUIRES_OK(ctx, FusedEpilogue::FromProgram(program, &epilogue_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    const Tensor& bias = ctx->input(2);
    Conv2DDimensions dims;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(attrs_, input.shape(),
                                                filter.shape(), &dims));
    OP_REQUIRES(ctx, bias.NumElements() == dims.out_depth,
                errors::InvalidArgument(
                    "_FusedConv2D: Must provide as many biases as the output "
                    "depth: ",
                    bias.shape().DebugString(), " vs. ", dims.out_depth));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    const int64_t n = output->NumElements();
    if (n == 0) return;
    float* out = output->base<float>();
    if (input.NumElements() == 0) {  // The output gets padding only.
      const bool last = dims.format == FORMAT_NHWC;
      const int64_t inner = last ? 1 : dims.output_pixels();
      for (int64_t i = 0; i < n; ++i) {
        out[i] = bias.base<float>()[i / inner % dims.out_depth];
      }
    } else {
      Conv2DExtras extras;
      extras.bias = bias.base<float>();
      extras.kept = kept_filter_.get();
      OP_REQUIRES_OK(ctx,
                     Conv2DForwardFloat(ctx, dims, input.base<float>(),
                                        filter.base<float>(), extras, out));
    }
    epilogue_.Apply(ctx, n, 1, /*bias=*/nullptr, out);
  }

 private:
  WindowAttrs attrs_;
  FusedEpilogue epilogue_;
  std::unique_ptr<KeptFilter> kept_filter_;
};

REGISTER_KERNEL_BUILDER(
    Name("_FusedConv2D").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    FusedConv2DOp);

}  // namespace tensorwright
