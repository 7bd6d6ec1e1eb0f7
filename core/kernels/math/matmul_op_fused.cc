// SPDX-License-Identifier: Apache-2.0
// The kernel of _FusedMatMul: a product, a bias and an activation in one op.

#include <algorithm>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/fused_epilogue.h"
#include "core/kernels/lib/matmul.h"
#include "core/lib/core/errors.h"
#include "core/util/fused_program.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {

class FusedMatMulOp final : public OpKernel {
 public:
  using Primitive = dnnl::matmul;

  explicit FusedMatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
    FusedProgram program;
    OP_REQUIRES_OK(
        ctx, FusedProgram::Parse(AttrSlice(def()), num_inputs(), &program));
    OP_REQUIRES_OK(ctx, FusedEpilogue::FromProgram(program, &epilogue_));
  }

  // The shape function has accepted the shapes.
  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    const Tensor& bias = ctx->input(2);
    MatMulArgs args;
    args.transpose_a = transpose_a_;
    args.transpose_b = transpose_b_;
    args.m = a.dim_size(transpose_a_ ? 1 : 0);
    args.k = a.dim_size(transpose_a_ ? 0 : 1);
    args.n = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(ctx, bias.NumElements() == args.n,
                errors::InvalidArgument(
                    "_FusedMatMul: Must provide as many biases as the last "
                    "dimension of the product: ",
                    bias.shape().DebugString(), " vs. ", args.n));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({args.m, args.n}), &product));
    if (product->NumElements() == 0) return;
    float* out = product->base<float>();
    if (args.k == 0) {
      std::fill_n(out, product->NumElements(), 0.0f);
    } else {
      OP_REQUIRES_OK(
          ctx, MatMulFloat(ctx, args, a.base<float>(), b.base<float>(), out));
    }
    epilogue_.Apply(ctx, args.m, args.n, bias.base<float>(), out);
  }

 private:
  FusedEpilogue epilogue_;
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

REGISTER_KERNEL_BUILDER(
    Name("_FusedMatMul").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    FusedMatMulOp);

}  // namespace tensorwright
