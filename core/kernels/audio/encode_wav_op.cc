// SPDX-License-Identifier: Apache-2.0
// EncodeWav.

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/wav/wav_io.h"

namespace tensorwright {
namespace {

class EncodeWavOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& audio = ctx->input(0);
    const Tensor& rate = ctx->input(1);
    OP_REQUIRES(
        ctx, audio.dims() == 2,
        errors::InvalidArgument("audio must be [samples, channels], got shape ",
                                audio.shape().DebugString()));
    OP_REQUIRES(
        ctx, rate.dims() == 0,
        errors::InvalidArgument("sample_rate must be scalar, got shape ",
                                rate.shape().DebugString()));
    const int32_t hertz = *rate.base<int32_t>();
    OP_REQUIRES(
        ctx, hertz > 0,
        errors::InvalidArgument("sample_rate must be positive, got ", hertz));
    Tensor* contents = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &contents));
    OP_REQUIRES_OK(ctx, wav::EncodeAudioAsS16LEWav(
                            audio.base<float>(), static_cast<size_t>(hertz),
                            static_cast<size_t>(audio.dim_size(1)),
                            static_cast<size_t>(audio.dim_size(0)),
                            contents->base<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("EncodeWav").Device(DEVICE_CPU), EncodeWavOp);

}  // namespace
}  // namespace tensorwright
