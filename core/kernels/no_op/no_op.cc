// SPDX-License-Identifier: Apache-2.0
// Ops that do nothing but order others.

#include "core/framework/op_kernel.h"

namespace tensorwright {
namespace {

class NoOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext*) override {}
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("NoOp").Device(DEVICE_CPU), NoOp);
REGISTER_KERNEL_BUILDER(Name("ControlTrigger").Device(DEVICE_CPU), NoOp);

}  // namespace
}  // namespace tensorwright
