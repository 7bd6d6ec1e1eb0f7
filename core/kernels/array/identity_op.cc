// SPDX-License-Identifier: Apache-2.0
// Ops whose output is their input: Identity and its relatives.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/util/elementwise.h"

namespace tensorwright {
namespace {

// Shares the buffer.  The output of a variable is its value.
class IdentityOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    if (IsRefType(output_type(0))) {
      ctx->forward_ref_input_to_ref_output(0, 0);
    } else {
      ctx->set_output(0, ctx->input(0));
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_PASSING_KERNEL(Name("Identity"), "T", IdentityOp, "input", "output");
REGISTER_PASSING_KERNEL(Name("RefIdentity"), "T", IdentityOp, "input",
                        "output");
REGISTER_PASSING_KERNEL(Name("StopGradient"), "T", IdentityOp, "input",
                        "output");
REGISTER_PASSING_KERNEL(Name("PreventGradient"), "T", IdentityOp, "input",
                        "output");
const ElementwiseRegistrar identity_traits("Identity", ElementwiseKind::kPass);
const ElementwiseRegistrar stop_gradient_traits("StopGradient",
                                                ElementwiseKind::kPass);
const ElementwiseRegistrar prevent_gradient_traits("PreventGradient",
                                                   ElementwiseKind::kPass);
REGISTER_PASSING_KERNEL(Name("PlaceholderWithDefault"), "dtype", IdentityOp,
                        "input", "output");

REGISTER_PASSING_KERNEL(Name("GuaranteeConst"), "T", IdentityOp, "input",
                        "output");

// The output is the input, which must have attr shape.
class EnsureShapeOp final : public OpKernel {
 public:
  explicit EnsureShapeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    const TensorShape& shape = ctx->input(0).shape();
    OP_REQUIRES(ctx, shape_.IsCompatibleWith(shape),
                errors::InvalidArgument("Shape of tensor ", requested_input(0),
                                        " ", shape.DebugString(),
                                        " is not compatible with expected "
                                        "shape ",
                                        shape_.DebugString(), "."));
    ctx->set_output(0, ctx->input(0));
  }
  bool IsExpensive() override { return false; }

 private:
  PartialTensorShape shape_;
};
REGISTER_PASSING_KERNEL(Name("EnsureShape"), "T", EnsureShapeOp, "input",
                        "output");

class IdentityNOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      ctx->set_output(i, ctx->input(i));
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("IdentityN").Device(DEVICE_CPU), IdentityNOp);
REGISTER_KERNEL_BUILDER(Name("IdentityN")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("T", TypesOnGpuDevices()),
                        IdentityNOp);

}  // namespace
}  // namespace tensorwright
