// SPDX-License-Identifier: Apache-2.0
// Save and SaveSlices: checkpoints of the V1 format.

#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/saved_tensor_slice_util.h"
#include "core/util/tensor_slice_table.h"

namespace tensorwright {
namespace {

class SaveOp final : public OpKernel {
 public:
  explicit SaveOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), has_slices_(type_string() == "SaveSlices") {}

  void Compute(OpKernelContext* ctx) override {
    const std::string& filename = ctx->input(0).scalar_value<std::string>();
    const auto names = Flat<std::string>(ctx->input(1));
    const int first = has_slices_ ? 3 : 2;
    checkpoint::TensorSliceWriter writer(ctx->env(), filename);
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor& tensor = ctx->input(first + static_cast<int>(i));
      const std::string text =
          has_slices_ ? Flat<std::string>(ctx->input(2))[i] : "";
      TensorShape full_shape;
      TensorSlice slice;
      OP_REQUIRES_OK(ctx, checkpoint::PartToSave(names[i], text, tensor.shape(),
                                                 &full_shape, &slice));
      OP_REQUIRES_OK(ctx, writer.Add(names[i], full_shape, slice, tensor));
    }
    OP_REQUIRES_OK(ctx, writer.Finish());
  }

 private:
  const bool has_slices_;
};
REGISTER_KERNEL_BUILDER(Name("Save").Device(DEVICE_CPU), SaveOp);
REGISTER_KERNEL_BUILDER(Name("SaveSlices").Device(DEVICE_CPU), SaveOp);

}  // namespace
}  // namespace tensorwright
