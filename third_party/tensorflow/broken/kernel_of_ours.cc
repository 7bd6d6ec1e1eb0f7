// SPDX-License-Identifier: Apache-2.0
// A kernel that would stand in the way of one of ours.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

class NothingOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(tensorflow::OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(
    Name("MatMul").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"),
    NothingOp);
