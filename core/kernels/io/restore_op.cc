// SPDX-License-Identifier: Apache-2.0
// Restore and RestoreSlice: one tensor of a checkpoint of the V1 format.

#include <memory>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/tensor_slice_table.h"

namespace tensorwright {
namespace {

// The attr preferred_shard tells in which file to look first.  The lists of all
// files are read, which are short, so it makes no difference.
class RestoreOp final : public OpKernel {
 public:
  explicit RestoreOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), has_slice_(type_string() == "RestoreSlice") {}

  void Compute(OpKernelContext* ctx) override {
    std::unique_ptr<checkpoint::TensorSliceReader> reader;
    OP_REQUIRES_OK(
        ctx,
        checkpoint::TensorSliceReader::Open(
            ctx->env(), ctx->input(0).scalar_value<std::string>(), &reader));
    Tensor tensor;
    OP_REQUIRES_OK(
        ctx, reader->Read(
                 ctx->input(1).scalar_value<std::string>(),
                 has_slice_ ? ctx->input(2).scalar_value<std::string>() : "",
                 ctx->expected_output_dtype(0),
                 [&](const TensorShape& shape, Tensor* out) {
                   return ctx->allocate_temp(ctx->expected_output_dtype(0),
                                             shape, out);
                 },
                 &tensor));
    ctx->set_output(0, tensor);
  }

 private:
  const bool has_slice_;
};
REGISTER_KERNEL_BUILDER(Name("Restore").Device(DEVICE_CPU), RestoreOp);
REGISTER_KERNEL_BUILDER(Name("RestoreSlice").Device(DEVICE_CPU), RestoreOp);

}  // namespace
}  // namespace tensorwright
