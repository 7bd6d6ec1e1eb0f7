// SPDX-License-Identifier: Apache-2.0
// ShardedFilename and ShardedFilespec: the names of the files of one checkpoint
// of the V1 format, or of one data set.

#include <string>

#include "absl/strings/str_format.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

class ShardedFilenameOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    out->scalar_value<std::string>() = absl::StrFormat(
        "%s-%05d-of-%05d", ctx->input(0).scalar_value<std::string>(),
        ctx->input(1).scalar_value<int32_t>(),
        ctx->input(2).scalar_value<int32_t>());
  }
};
REGISTER_KERNEL_BUILDER(Name("ShardedFilename").Device(DEVICE_CPU),
                        ShardedFilenameOp);

class ShardedFilespecOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    out->scalar_value<std::string>() = absl::StrFormat(
        "%s-\?\?\?\?\?-of-%05d", ctx->input(0).scalar_value<std::string>(),
        ctx->input(1).scalar_value<int32_t>());
  }
};
REGISTER_KERNEL_BUILDER(Name("ShardedFilespec").Device(DEVICE_CPU),
                        ShardedFilespecOp);

}  // namespace
}  // namespace tensorwright
