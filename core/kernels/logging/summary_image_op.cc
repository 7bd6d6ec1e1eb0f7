// SPDX-License-Identifier: Apache-2.0
// ImageSummary.

#include <cstdint>
#include <limits>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/util/summary_images.h"
#include "core/util/summary_values.h"

namespace tensorwright {
namespace {

class SummaryImageOp final : public OpKernel {
 public:
  explicit SummaryImageOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_images", &max_images_));
    OP_REQUIRES(
        ctx, max_images_ <= std::numeric_limits<int32_t>::max(),
        errors::InvalidArgument("ImageSummary: max_images must be < 2^31, got ",
                                max_images_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bad_color", &bad_color_));
    OP_REQUIRES(ctx, bad_color_.dtype() == DT_UINT8 && bad_color_.dims() == 1,
                errors::InvalidArgument(
                    "bad_color must be a vector of uint8, got ",
                    DataTypeString(bad_color_.dtype()), " of shape ",
                    bad_color_.shape().DebugString()));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    const Tensor& tensor = ctx->input(1);
    OP_REQUIRES(ctx, tag.dims() == 0,
                errors::InvalidArgument("tag must be a scalar, got shape ",
                                        tag.shape().DebugString()));
    Summary summary;
    OP_REQUIRES_OK(ctx, AddImageSummaries(ctx, tensor, *tag.base<std::string>(),
                                          max_images_, bad_color_, &summary));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    OP_REQUIRES_OK(ctx, SerializeSummary(summary, out->base<std::string>()));
  }

 private:
  int64_t max_images_ = 0;
  Tensor bad_color_;
};
REGISTER_KERNEL_BUILDER(Name("ImageSummary").Device(DEVICE_CPU),
                        SummaryImageOp);

}  // namespace
}  // namespace tensorwright
