// SPDX-License-Identifier: Apache-2.0
// EncodeJpeg and EncodeJpegVariableQuality.

#include <cstdint>
#include <limits>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/jpeg/jpeg_mem.h"

namespace tensorwright {
namespace {

class EncodeJpegOp final : public OpKernel {
 public:
  explicit EncodeJpegOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (ctx->num_inputs() == 2) return;
    std::string density_unit;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("quality", &options_.quality));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("progressive", &options_.progressive));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("optimize_size", &options_.optimize_size));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("chroma_downsampling",
                                     &options_.chroma_downsampling));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("density_unit", &density_unit));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("x_density", &options_.x_density));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("y_density", &options_.y_density));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("xmp_metadata", &options_.xmp_metadata));
    options_.density_in_cm = density_unit == "cm";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    OP_REQUIRES(
        ctx, image.NumElements() <= std::numeric_limits<int32_t>::max(),
        errors::InvalidArgument(
            "EncodeJpeg: image must have less than 2^31 elements, got shape ",
            image.shape().DebugString()));
    jpeg::EncodeOptions options = options_;
    if (ctx->num_inputs() == 2) {
      options.quality = *ctx->input(1).base<int32_t>();
      OP_REQUIRES(ctx, options.quality >= 0 && options.quality <= 100,
                  errors::InvalidArgument(
                      "EncodeJpegVariableQuality: quality must be in [0, 100], "
                      "got ",
                      options.quality));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    OP_REQUIRES_OK(ctx, jpeg::Encode(image.base<uint8_t>(), image.dim_size(0),
                                     image.dim_size(1),
                                     static_cast<int>(image.dim_size(2)),
                                     options, out->base<std::string>()));
  }

 private:
  jpeg::EncodeOptions options_;
};
REGISTER_KERNEL_BUILDER(Name("EncodeJpeg").Device(DEVICE_CPU), EncodeJpegOp);
REGISTER_KERNEL_BUILDER(Name("EncodeJpegVariableQuality").Device(DEVICE_CPU),
                        EncodeJpegOp);

}  // namespace
}  // namespace tensorwright
