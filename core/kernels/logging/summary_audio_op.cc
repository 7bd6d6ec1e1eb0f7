// SPDX-License-Identifier: Apache-2.0
// AudioSummary and AudioSummaryV2.

#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/util/summary_values.h"

namespace tensorwright {
namespace {

class SummaryAudioOp final : public OpKernel {
 public:
  explicit SummaryAudioOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_outputs", &max_outputs_));
    if (ctx->num_inputs() == 2) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("sample_rate", &sample_rate_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    const Tensor& tensor = ctx->input(1);
    OP_REQUIRES(ctx, tag.dims() == 0,
                errors::InvalidArgument("tag must be a scalar, got shape ",
                                        tag.shape().DebugString()));
    float sample_rate = sample_rate_;
    if (ctx->num_inputs() == 3) {
      const Tensor& input = ctx->input(2);
      OP_REQUIRES(
          ctx, input.NumElements() == 1,
          errors::InvalidArgument("sample_rate must be one number, got shape ",
                                  input.shape().DebugString()));
      sample_rate = *input.base<float>();
    }
    Summary summary;
    OP_REQUIRES_OK(ctx, AddAudioSummaries(tensor, *tag.base<std::string>(),
                                          max_outputs_, sample_rate, &summary));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    OP_REQUIRES_OK(ctx, SerializeSummary(summary, out->base<std::string>()));
  }

 private:
  int64_t max_outputs_ = 0;
  float sample_rate_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("AudioSummary").Device(DEVICE_CPU),
                        SummaryAudioOp);
REGISTER_KERNEL_BUILDER(Name("AudioSummaryV2").Device(DEVICE_CPU),
                        SummaryAudioOp);

}  // namespace
}  // namespace tensorwright
