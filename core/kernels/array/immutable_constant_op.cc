// SPDX-License-Identifier: Apache-2.0
// ImmutableConst: a tensor that lies in a file.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"
#include "core/util/overflow.h"

namespace tensorwright {
namespace {

// Reads the file at the first run and keeps the tensor.  It does not map the
// file into memory: a mapped file that somebody cuts short would end the
// process.
class ImmutableConstantOp final : public OpKernel {
 public:
  explicit ImmutableConstantOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("memory_region_name", &file_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
    OP_REQUIRES(ctx, DataTypeCanUseMemcpy(dtype_),
                errors::InvalidArgument(
                    "ImmutableConst: dtype must be of plain bytes, got ",
                    DataTypeString(dtype_)));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    mutex_lock l(mu_);
    if (!loaded_) OP_REQUIRES_OK(ctx, Load(ctx));
    ctx->set_output(0, tensor_);
  }

 private:
  Status Load(OpKernelContext* ctx) {
    const int64_t bytes =
        MultiplyWithoutOverflow(shape_.num_elements(), DataTypeSize(dtype_));
    Env* env = ctx->env();
    FileStatistics stat;
    TF_RETURN_IF_ERROR(env->Stat(file_, &stat));
    if (bytes < 0 || stat.is_directory || stat.length < bytes) {
      return errors::InvalidArgument(
          "ImmutableConst: ", file_, " must be a file of at least ", bytes,
          " bytes for shape ", shape_.DebugString(), " of ",
          DataTypeString(dtype_), ", it has ", stat.length);
    }
    Tensor tensor;
    TF_RETURN_IF_ERROR(ctx->allocate_temp(dtype_, shape_, &tensor));
    // A file of no length, such as a pipe, is not opened, since that might
    // block.
    if (bytes > 0) {
      std::unique_ptr<RandomAccessFile> file;
      TF_RETURN_IF_ERROR(env->NewRandomAccessFile(file_, &file));
      absl::string_view read;
      char* to = tensor.base<char>();
      TF_RETURN_IF_ERROR(file->Read(0, bytes, &read, to));
      if (read.data() != to) std::memcpy(to, read.data(), read.size());
    }
    if (dtype_ == DT_BOOL) {
      // A byte other than 0 and 1 is no bool.
      unsigned char* b = tensor.base<unsigned char>();
      for (int64_t i = 0; i < bytes; ++i) b[i] = b[i] != 0;
    }
    tensor_ = tensor;
    loaded_ = true;
    return OkStatus();
  }

  std::string file_;
  DataType dtype_ = DT_INVALID;
  TensorShape shape_;
  mutex mu_;
  bool loaded_ ABSL_GUARDED_BY(mu_) = false;
  Tensor tensor_ ABSL_GUARDED_BY(mu_);
};
REGISTER_KERNEL_BUILDER(Name("ImmutableConst").Device(DEVICE_CPU),
                        ImmutableConstantOp);

}  // namespace
}  // namespace tensorwright
