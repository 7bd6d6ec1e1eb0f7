// SPDX-License-Identifier: Apache-2.0
// PartitionedCall, StatefulPartitionedCall and RemoteCall: a call of a
// function.

#include <string>
#include <utility>
#include <vector>

#include "core/framework/device_base.h"
#include "core/kernels/functional/call_function.h"
#include "core/lib/core/errors.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace {

// A body is placed and partitioned when it is compiled, so this is a call like
// any other.
class PartitionedCallOp final : public AsyncOpKernel {
 public:
  explicit PartitionedCallOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(
        ctx, function_.Init(ctx, "f", ctx->input_types(), ctx->output_types()));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    CallWithInputs(ctx, function_, 0, shapes_, std::move(done));
  }

 private:
  CalledFunction function_;
  const std::vector<PartialTensorShape> shapes_;  // Any shapes.
};
REGISTER_KERNEL_BUILDER(Name("PartitionedCall").Device(DEVICE_CPU),
                        PartitionedCallOp);
REGISTER_KERNEL_BUILDER(Name("StatefulPartitionedCall").Device(DEVICE_CPU),
                        PartitionedCallOp);

class RemoteCallOp final : public AsyncOpKernel {
 public:
  explicit RemoteCallOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(
        ctx,
        function_.Init(ctx, "f", DataTypeSlice(ctx->input_types()).subspan(1),
                       ctx->output_types()));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& target = ctx->input(0);
    OP_REQUIRES_ASYNC(ctx, target.NumElements() == 1,
                      errors::InvalidArgument(
                          "RemoteCall: target must be a scalar, got shape ",
                          target.shape().DebugString()),
                      done);
    OP_REQUIRES_OK_ASYNC(ctx, CheckTarget(ctx, *target.base<std::string>()),
                         done);
    CallWithInputs(ctx, function_, 1, shapes_, std::move(done));
  }

 private:
  // Functions run in this process, on the device of its kernels.
  static Status CheckTarget(OpKernelContext* ctx, const std::string& target) {
    DeviceNameUtils::ParsedName wanted, own;
    if (!DeviceNameUtils::ParseFullName(target, &wanted) &&
        !DeviceNameUtils::ParseLocalName(target, &wanted)) {
      return errors::InvalidArgument(
          "RemoteCall: target is no device's name: '", target, "'");
    }
    const std::string name(ctx->device()->name());
    if (DeviceNameUtils::ParseFullName(name, &own) &&
        DeviceNameUtils::IsSpecification(wanted, own)) {
      return OkStatus();
    }
    return errors::InvalidArgument("RemoteCall: target must be ", name,
                                   ", the device of the node, got '", target,
                                   "'");
  }

  CalledFunction function_;
  const std::vector<PartialTensorShape> shapes_;  // Any shapes.
};
REGISTER_KERNEL_BUILDER(Name("RemoteCall").Device(DEVICE_CPU), RemoteCallOp);

}  // namespace
}  // namespace tensorwright
