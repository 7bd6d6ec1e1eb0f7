// SPDX-License-Identifier: Apache-2.0
// Ops that do nothing but order others.

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/gpu_registrations.h"

namespace tensorwright {
namespace {

class NoOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext*) override {}
  bool IsExpensive() override { return false; }
};
REGISTER_CPU_AND_GPU_KERNEL(Name("NoOp"), NoOp);
REGISTER_CPU_AND_GPU_KERNEL(Name("ControlTrigger"), NoOp);

}  // namespace
}  // namespace tensorwright
