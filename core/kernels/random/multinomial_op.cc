// SPDX-License-Identifier: Apache-2.0
// Multinomial and StatelessMultinomial: they draw classes by their unnormalised
// log-probabilities.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/random/stateless_generator.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"
#include "core/util/guarded_philox_random.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// cdf[j] = sum of exp(logits[0..j] - max) over the finite logits; returns the
// whole sum.
template <typename T>
double Cumulate(const T* logits, int64_t classes, double* cdf) {
  double max = std::numeric_limits<double>::lowest();
  for (int64_t j = 0; j < classes; ++j) {
    const double x = static_cast<double>(logits[j]);
    if (std::isfinite(x)) max = std::max(max, x);
  }
  double total = 0;
  for (int64_t j = 0; j < classes; ++j) {
    const double x = static_cast<double>(logits[j]);
    if (std::isfinite(x)) total += std::exp(x - max);
    cdf[j] = total;
  }
  return total;
}

// Draws one row.  `next` gives 32 random bits a call; a sample takes two calls.
template <typename T, typename Out, typename Next>
void SampleRow(const T* logits, int64_t classes, int64_t samples, Next* next,
               double* cdf, Out* out) {
  const double total = Cumulate(logits, classes, cdf);
  for (int64_t j = 0; j < samples; ++j) {
    const uint32_t x0 = (*next)();
    const uint32_t x1 = (*next)();
    const double at = random::Uint64ToDouble(x0, x1) * total;
    out[j] = static_cast<Out>(std::upper_bound(cdf, cdf + classes, at) - cdf);
  }
}

template <typename T>
class MultinomialOp final : public OpKernel {
 public:
  explicit MultinomialOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    stateless_ = type_string() == "StatelessMultinomial";
    if (!stateless_) OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& logits = ctx->input(0);
    const Tensor& num_samples = ctx->input(1);
    OP_REQUIRES(ctx, logits.dims() == 2,
                errors::InvalidArgument("logits should be a matrix, got shape ",
                                        logits.shape().DebugString()));
    OP_REQUIRES(
        ctx, num_samples.dims() == 0,
        errors::InvalidArgument("num_samples should be a scalar, got shape ",
                                num_samples.shape().DebugString()));
    const int64_t samples = *num_samples.base<int32_t>();
    OP_REQUIRES(ctx, samples >= 0,
                errors::InvalidArgument(
                    "num_samples should be nonnegative, got ", samples));
    const int64_t batch = logits.dim_size(0);
    OP_REQUIRES(ctx, logits.dim_size(1) > 0,
                errors::InvalidArgument("num_classes should be positive, got ",
                                        logits.dim_size(1)));
    TensorShape shape;
    OP_REQUIRES_OK(ctx,
                   TensorShape::BuildTensorShape({batch, samples}, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    if (out->dtype() == DT_INT32) {
      Sample<int32_t>(ctx, logits, out);
    } else {
      Sample<int64_t>(ctx, logits, out);
    }
  }

 private:
  template <typename Out>
  void Sample(OpKernelContext* ctx, const Tensor& logits, Tensor* out) {
    const int64_t classes = logits.dim_size(1);
    const int64_t samples = out->dim_size(1);
    // Reserves as many numbers as TensorFlow does, so that the next call agrees
    // too.
    const random::PhiloxRandom gen =
        stateless_ ? StatelessGenerator(ctx->input(2))
                   : generator_.ReserveRandomOutputs(
                         logits.dim_size(0) * ((samples + 3) / 4 * 4) * 2, 256);
    const int64_t cost =
        20 * classes +
        50 * samples * (1 + static_cast<int64_t>(std::log2(classes)));
    ParallelFor(ctx, logits.dim_size(0), cost, [&](int64_t begin, int64_t end) {
      random::PhiloxRandom own = gen;
      random::SingleSampleAdapter<random::PhiloxRandom> next(&own);
      next.Skip(2 * begin * samples);
      std::vector<double> cdf(classes);
      for (int64_t row = begin; row < end; ++row) {
        SampleRow(logits.base<T>() + row * classes, classes, samples, &next,
                  cdf.data(), out->base<Out>() + row * samples);
      }
    });
  }

  bool stateless_ = false;
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_FOR_TYPES(
    Name("Multinomial").Device(DEVICE_CPU).HostMemory("num_samples"), "T",
    MultinomialOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("StatelessMultinomial")
                              .Device(DEVICE_CPU)
                              .HostMemory("num_samples")
                              .HostMemory("seed"),
                          "T", MultinomialOp, half, bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
