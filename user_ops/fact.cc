// SPDX-License-Identifier: Apache-2.0
// Fact: a constant string, the smallest user op there can be; without a shape
// function, so its static shape is unknown.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

using namespace tensorflow;

REGISTER_OP("Fact")
    .Output("fact: string")
    .Doc("A fact about factorials: a scalar string.");

class FactOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    Tensor fact(DT_STRING, TensorShape({}));
    fact.scalar<string>()() = "0! == 1";
    context->set_output(0, fact);
  }
};

REGISTER_KERNEL_BUILDER(Name("Fact").Device(DEVICE_CPU), FactOp);
