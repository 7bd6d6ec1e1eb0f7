// SPDX-License-Identifier: Apache-2.0
// ReadFile and WriteFile: files as strings.

#include <string>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/io/path.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class ReadFileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    std::string contents;
    OP_REQUIRES_OK(
        ctx,
        ReadFileToString(ctx->env(), ctx->input(0).scalar_value<std::string>(),
                         &contents));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    out->scalar_value<std::string>() = std::move(contents);
  }
};
REGISTER_KERNEL_BUILDER(Name("ReadFile").Device(DEVICE_CPU), ReadFileOp);

class WriteFileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const std::string& name = ctx->input(0).scalar_value<std::string>();
    Env* env = ctx->env();
    const std::string folder(io::Dirname(name));
    if (!folder.empty() && !env->FileExists(folder).ok()) {
      OP_REQUIRES_OK(ctx, env->RecursivelyCreateDir(folder));
    }
    OP_REQUIRES_OK(
        ctx, WriteStringToFile(env, name,
                               ctx->input(1).scalar_value<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("WriteFile").Device(DEVICE_CPU), WriteFileOp);

}  // namespace
}  // namespace tensorwright
