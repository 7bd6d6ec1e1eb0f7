// SPDX-License-Identifier: Apache-2.0
// A kernel for an op that nothing registers.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("BrokenOrphanFirst").Input("x: float");
class NothingOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(tensorflow::OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("BrokenOrphan").Device(tensorflow::DEVICE_CPU),
                        NothingOp);
