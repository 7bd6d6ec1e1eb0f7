// SPDX-License-Identifier: Apache-2.0
// PrintV2 and Timestamp.

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

constexpr char kFile[] = "file://";

bool IsStream(const std::string& name) {
  return name == "stdout" || name == "stderr" || name == "log(info)" ||
         name == "log(warning)" || name == "log(error)" ||
         absl::StartsWith(name, kFile);
}

Status Append(Env* env, const std::string& path, const std::string& text) {
  std::unique_ptr<WritableFile> file;
  TF_RETURN_IF_ERROR(env->NewAppendableFile(path, &file));
  TF_RETURN_IF_ERROR(file->Append(text));
  return file->Close();
}

}  // namespace

class PrintV2Op final : public OpKernel {
 public:
  explicit PrintV2Op(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("output_stream", &stream_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("end", &end_));
    OP_REQUIRES(ctx, IsStream(stream_),
                errors::InvalidArgument(
                    "PrintV2: output_stream must be stdout, stderr, log(info), "
                    "log(warning), log(error) or begin with file://, got ",
                    stream_));
  }

  void Compute(OpKernelContext* ctx) override {
    const std::string text =
        absl::StrCat(absl::string_view(*ctx->input(0).base<tstring>()), end_);
    // One write, so that lines of concurrent prints do not mix.
    if (stream_ == "stdout") {
      std::cout << text << std::flush;
    } else if (stream_ == "stderr") {
      std::cerr << text << std::flush;
    } else if (stream_ == "log(info)") {
      LOG(INFO) << text;
    } else if (stream_ == "log(warning)") {
      LOG(WARNING) << text;
    } else if (stream_ == "log(error)") {
      LOG(ERROR) << text;
    } else {
      const std::string path(absl::StripPrefix(stream_, kFile));
      const Status written = Append(ctx->env(), path, text);
      OP_REQUIRES(ctx, written.ok() || errors::IsPermissionDenied(written),
                  errors::InvalidArgument("PrintV2: ", path,
                                          " of output_stream is not writable"));
      OP_REQUIRES_OK(ctx, written);
    }
  }

 private:
  std::string stream_, end_;
};
REGISTER_KERNEL_BUILDER(Name("PrintV2").Device(DEVICE_CPU), PrintV2Op);

class TimestampOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    *out->base<double>() = std::chrono::duration<double>(now).count();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("Timestamp").Device(DEVICE_CPU), TimestampOp);

}  // namespace tensorwright
