// SPDX-License-Identifier: Apache-2.0
// AudioSpectrogram.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"
#include "unsupported/Eigen/FFT"

namespace tensorwright {
namespace {

// Hann's window of one period: its last sample does not repeat the first.
std::vector<double> HannWindow(int64_t size) {
  std::vector<double> window(size);
  for (int64_t i = 0; i < size; ++i) {
    window[i] = 0.5 - 0.5 * std::cos(2 * M_PI * static_cast<double>(i) /
                                     static_cast<double>(size));
  }
  return window;
}

class AudioSpectrogramOp final : public OpKernel {
 public:
  explicit AudioSpectrogramOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("window_size", &window_size_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("stride", &stride_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("magnitude_squared", &squared_));
    // Larger windows are refused, since their transforms need too much memory.
    OP_REQUIRES(
        ctx, window_size_ >= 2 && window_size_ <= 1 << 24 && stride_ >= 1,
        errors::InvalidArgument("window_size must be in [2, 2^24] and stride "
                                "positive, got ",
                                window_size_, " and ", stride_));
    while (padded_ < window_size_) padded_ *= 2;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    OP_REQUIRES(
        ctx, input.dims() == 2,
        errors::InvalidArgument("input must be [samples, channels], got shape ",
                                input.shape().DebugString()));
    const int64_t samples = input.dim_size(0), channels = input.dim_size(1);
    const int64_t frames =
        samples < window_size_ ? 0 : 1 + (samples - window_size_) / stride_;
    const int64_t bins = 1 + padded_ / 2;
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, TensorShape::BuildTensorShape({channels, frames, bins}, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const std::vector<double> window = HannWindow(window_size_);
    const double n = static_cast<double>(padded_);
    ParallelFor(ctx, channels * frames,
                static_cast<int64_t>(10 * n * std::log2(n)),
                [&](int64_t begin, int64_t end) {
                  Transform(input, window, begin, end, out->base<float>());
                });
  }

 private:
  // Transforms frames [begin, end) of all channels.
  void Transform(const Tensor& input, const std::vector<double>& window,
                 int64_t begin, int64_t end, float* out) const {
    const int64_t samples = input.dim_size(0), channels = input.dim_size(1);
    const int64_t frames = 1 + (samples - window_size_) / stride_;
    const int64_t bins = 1 + padded_ / 2;
    Eigen::FFT<double> fft;
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    std::vector<double> frame(padded_);
    std::vector<std::complex<double>> spectrum;
    for (int64_t at = begin; at < end; ++at) {
      const float* from = input.base<float>() +
                          (at % frames) * stride_ * channels + at / frames;
      for (int64_t i = 0; i < window_size_; ++i) {
        frame[i] = window[i] * static_cast<double>(from[i * channels]);
      }
      fft.fwd(spectrum, frame);
      float* to = out + at * bins;
      for (int64_t i = 0; i < bins; ++i) {
        const double square = std::norm(spectrum[i]);
        to[i] = static_cast<float>(squared_ ? square : std::sqrt(square));
      }
    }
  }

  int32_t window_size_ = 0, stride_ = 0;
  int64_t padded_ = 1;
  bool squared_ = false;
};
REGISTER_KERNEL_BUILDER(Name("AudioSpectrogram").Device(DEVICE_CPU),
                        AudioSpectrogramOp);

}  // namespace
}  // namespace tensorwright
