// SPDX-License-Identifier: Apache-2.0
// CheckPinned: tells memory that CUDA has pinned from other memory.

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The main library has no CUDA, whose driver alone knows which memory is
// pinned.
class CheckPinnedOp final : public OpKernel {
 public:
  explicit CheckPinnedOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::FailedPrecondition(
        "CheckPinned: tensor is in memory that is not pinned: the library was "
        "built without CUDA"));
  }
};
REGISTER_KERNEL_BUILDER(Name("CheckPinned").Device(DEVICE_CPU), CheckPinnedOp);

}  // namespace
}  // namespace tensorwright
