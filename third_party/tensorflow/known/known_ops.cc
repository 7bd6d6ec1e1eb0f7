// SPDX-License-Identifier: Apache-2.0
// A library that brings along an op which is there already, with the same
// definition in other words and another order, and one that is new.
#include <algorithm>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

REGISTER_OP("Softsign")
    .Attr("T: {double, float, bfloat16, half}")
    .Input("features: T")
    .Output("activations: T")
    .Doc("The same op, described in other words.");

REGISTER_OP("KnownOpsNew")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return tensorflow::Status::OK();
    });

namespace {

// As many sevens as the input has elements.
class SevensOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(tensorflow::OpKernelContext* ctx) override {
    tensorflow::Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &out));
    auto flat = out->flat<float>();
    std::fill_n(flat.data(), flat.size(), 7.0f);
  }
};

REGISTER_KERNEL_BUILDER(Name("KnownOpsNew").Device(tensorflow::DEVICE_CPU),
                        SevensOp);
// There is a kernel for it: this one must not be asked.
REGISTER_KERNEL_BUILDER(
    Name("Softsign").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"),
    SevensOp);
// There is no kernel of that label.
REGISTER_KERNEL_BUILDER(Name("Softsign")
                            .Device(tensorflow::DEVICE_CPU)
                            .TypeConstraint<float>("T")
                            .Label("sevens"),
                        SevensOp);

}  // namespace
