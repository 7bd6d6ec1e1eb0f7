// SPDX-License-Identifier: Apache-2.0
// AudioSummary and AudioSummaryV2.

#include <algorithm>
#include <cmath>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/wav/wav_io.h"

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
    OP_REQUIRES(ctx, tensor.dims() == 2 || tensor.dims() == 3,
                errors::InvalidArgument("tensor must be 3-D or 2-D, got ",
                                        tensor.shape().DebugString()));
    float sample_rate = sample_rate_;
    if (ctx->num_inputs() == 3) {
      const Tensor& input = ctx->input(2);
      OP_REQUIRES(
          ctx, input.NumElements() == 1,
          errors::InvalidArgument("sample_rate must be one number, got shape ",
                                  input.shape().DebugString()));
      sample_rate = *input.base<float>();
    }
    OP_REQUIRES(ctx, sample_rate > 0.0f && sample_rate < 4294967000.0f,
                errors::InvalidArgument(
                    "sample_rate must be in (0, 2^32), got ", sample_rate));
    // The file has whole Hertz.
    const auto hertz =
        std::max<size_t>(1, static_cast<size_t>(std::nearbyint(sample_rate)));
    const int64_t frames = tensor.dim_size(1);
    const int64_t channels = tensor.dims() == 2 ? 1 : tensor.dim_size(2);
    const int64_t n = std::min<int64_t>(max_outputs_, tensor.dim_size(0));
    Summary summary;
    for (int64_t i = 0; i < n; ++i) {
      Summary::Value* v = summary.add_value();
      v->set_tag(Tag(*tag.base<std::string>(), i));
      Summary::Audio* audio = v->mutable_audio();
      audio->set_sample_rate(sample_rate);
      audio->set_num_channels(channels);
      audio->set_length_frames(frames);
      audio->set_content_type("audio/wav");
      OP_REQUIRES_OK(
          ctx, wav::EncodeAudioAsS16LEWav(
                   tensor.base<float>() + i * frames * channels, hertz,
                   channels, frames, audio->mutable_encoded_audio_string()));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    OP_REQUIRES(
        ctx, summary.SerializeToString(out->base<std::string>()),
        errors::InvalidArgument("The summary is larger than a proto may be: ",
                                summary.ByteSizeLong(), " bytes"));
  }

 private:
  // Numbered by what was asked for, so that a short batch has the same tags.
  std::string Tag(const std::string& tag, int64_t i) const {
    return max_outputs_ > 1 ? absl::StrCat(tag, "/audio/", i)
                            : absl::StrCat(tag, "/audio");
  }

  int64_t max_outputs_ = 0;
  float sample_rate_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("AudioSummary").Device(DEVICE_CPU),
                        SummaryAudioOp);
REGISTER_KERNEL_BUILDER(Name("AudioSummaryV2").Device(DEVICE_CPU),
                        SummaryAudioOp);

}  // namespace
}  // namespace tensorwright
