// SPDX-License-Identifier: Apache-2.0
// A kernel that is chosen by an attr its op lacks.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("BrokenChoice").Input("x: float");
class NothingOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(tensorflow::OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("BrokenChoice")
                            .Device(tensorflow::DEVICE_CPU)
                            .TypeConstraint<float>("T"),
                        NothingOp);
