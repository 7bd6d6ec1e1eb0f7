// SPDX-License-Identifier: Apache-2.0
// Mfcc: Davis and Mermelstein, "Comparison of Parametric Representations for
// Monosyllabic Word Recognition" (1980).  Triangular filters, evenly spaced on
// the mel scale, over magnitudes; the cosine transform of their logarithms.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Smaller values are raised to this before the logarithm.
constexpr double kFloor = 1e-12;

// O'Shaughnessy's formula, with the natural logarithm.
double Mel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

// The two neighbouring filters that a bin counts for, and the weight of the
// lower one.
struct BinWeight {
  int64_t lower;  // The filter below; -1: none, the other is filter 0.
  double weight;
};

struct Filterbank {
  int64_t first = 0;  // The first of the bins that count for any filter.
  std::vector<BinWeight> bins;
};

Filterbank MakeFilterbank(int64_t bins, double sample_rate, int64_t filters,
                          double low, double high) {
  // Filter i is centered at center(i), and ends at its neighbours' centers.
  const double mel_low = Mel(low);
  const double spacing =
      (Mel(high) - mel_low) / static_cast<double>(filters + 1);
  const auto center = [&](int64_t i) {
    return mel_low + spacing * static_cast<double>(i + 1);
  };
  const double hertz_per_bin =
      0.5 * sample_rate / static_cast<double>(bins - 1);
  Filterbank bank;
  // The constant part never counts.
  bank.first = static_cast<int64_t>(1.5 + low / hertz_per_bin);
  const auto last = static_cast<int64_t>(high / hertz_per_bin);
  int64_t filter = 0;
  for (int64_t i = bank.first; i <= last; ++i) {
    const double mel = Mel(static_cast<double>(i) * hertz_per_bin);
    while (filter < filters && center(filter) < mel) ++filter;
    const double to = center(filter);
    const double from = filter == 0 ? mel_low : center(filter - 1);
    bank.bins.push_back({filter - 1, (to - mel) / (to - from)});
  }
  return bank;
}

// rows[i][j] = sqrt(2 / n) cos(i pi / n (j + 1/2)).
std::vector<double> CosineTransform(int64_t rows, int64_t n) {
  std::vector<double> cosines(rows * n);
  const double size = static_cast<double>(n);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      cosines[i * n + j] = std::sqrt(2.0 / size) *
                           std::cos(static_cast<double>(i) * (M_PI / size) *
                                    (static_cast<double>(j) + 0.5));
    }
  }
  return cosines;
}

class MfccOp final : public OpKernel {
 public:
  explicit MfccOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("upper_frequency_limit", &high_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lower_frequency_limit", &low_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("filterbank_channel_count", &filters_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dct_coefficient_count", &coefficients_));
    OP_REQUIRES(
        ctx, low_ >= 0 && high_ > low_ && std::isfinite(high_),
        errors::InvalidArgument(
            "Mfcc: lower_frequency_limit must be at least 0 and less than "
            "upper_frequency_limit, got ",
            low_, " and ", high_));
    OP_REQUIRES(ctx,
                coefficients_ >= 1 && coefficients_ <= filters_ &&
                    filters_ <= kMaxFilters,
                errors::InvalidArgument(
                    "Mfcc: dct_coefficient_count must be positive and at most "
                    "filterbank_channel_count, and that at most ",
                    kMaxFilters, ", got ", coefficients_, " and ", filters_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& spectrogram = ctx->input(0);
    const Tensor& rate = ctx->input(1);
    OP_REQUIRES(ctx, spectrogram.dims() == 3,
                errors::InvalidArgument("Mfcc: spectrogram must be [channels, "
                                        "frames, bins], got shape ",
                                        spectrogram.shape().DebugString()));
    OP_REQUIRES(
        ctx, rate.dims() == 0,
        errors::InvalidArgument("Mfcc: sample_rate must be scalar, got shape ",
                                rate.shape().DebugString()));
    const int32_t hertz = *rate.base<int32_t>();
    const int64_t bins = spectrogram.dim_size(2);
    OP_REQUIRES(ctx, hertz > 0 && bins >= 2,
                errors::InvalidArgument(
                    "Mfcc needs a positive sample rate and at least 2 bins, "
                    "got ",
                    hertz, " and ", bins));
    const double hertz_per_bin = 0.5 * hertz / static_cast<double>(bins - 1);
    OP_REQUIRES(
        ctx, std::floor(high_ / hertz_per_bin) < static_cast<double>(bins),
        errors::InvalidArgument("Mfcc: upper_frequency_limit ", high_,
                                " is beyond half of sample_rate ", hertz));
    const int64_t frames = spectrogram.dim_size(0) * spectrogram.dim_size(1);
    TensorShape shape = spectrogram.shape();
    shape.set_dim(2, coefficients_);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (frames == 0) return;
    const Filterbank bank = MakeFilterbank(bins, hertz, filters_, low_, high_);
    const std::vector<double> cosines =
        CosineTransform(coefficients_, filters_);
    const int64_t cost = 10 * static_cast<int64_t>(bank.bins.size()) +
                         filters_ * (coefficients_ + 20);
    ParallelFor(ctx, frames, cost, [&](int64_t begin, int64_t end) {
      std::vector<double> energies(filters_);
      for (int64_t i = begin; i < end; ++i) {
        Filter(bank, spectrogram.base<float>() + i * bins, &energies);
        Transform(cosines, energies, out->base<float>() + i * coefficients_);
      }
    });
  }

 private:
  // The cosines of more filters would take too many numbers, coefficients x
  // filters.
  static constexpr int32_t kMaxFilters = 1 << 12;

  // Computes the logarithms of each filter's energy.
  void Filter(const Filterbank& bank, const float* bins,
              std::vector<double>* energies) const {
    std::fill(energies->begin(), energies->end(), 0.0);
    for (size_t i = 0; i < bank.bins.size(); ++i) {
      const auto [lower, weight] = bank.bins[i];
      const double magnitude =
          std::sqrt(static_cast<double>(bins[bank.first + i]));
      if (lower >= 0) (*energies)[lower] += magnitude * weight;
      if (lower + 1 < filters_) {
        (*energies)[lower + 1] += magnitude * (1 - weight);
      }
    }
    // A NaN stays a NaN.
    for (double& e : *energies) e = std::log(e < kFloor ? kFloor : e);
  }

  void Transform(const std::vector<double>& cosines,
                 const std::vector<double>& energies, float* out) const {
    for (int64_t i = 0; i < coefficients_; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < filters_; ++j) {
        sum += cosines[i * filters_ + j] * energies[j];
      }
      out[i] = static_cast<float>(sum);
    }
  }

  float high_ = 0, low_ = 0;
  int32_t filters_ = 0, coefficients_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Mfcc").Device(DEVICE_CPU), MfccOp);

}  // namespace
}  // namespace tensorwright
