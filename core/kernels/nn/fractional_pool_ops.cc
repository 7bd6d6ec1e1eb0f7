// SPDX-License-Identifier: Apache-2.0
// Sequences of windows for fractional pools.

#include "core/kernels/nn/fractional_pool_ops.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random.h"
#include "core/lib/random/random_distributions.h"
#include "core/lib/random/simple_philox.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace {

// Returns window sizes k and k + 1 in random order, which is TensorFlow's for a
// seed.
std::vector<int64_t> ShuffledSizes(int64_t input, int64_t output,
                                   GuardedPhiloxRandom* generator) {
  std::vector<int64_t> sizes(output, input / output);
  for (int64_t i = 0; i < input % output; ++i) ++sizes[i];
  auto philox = generator->ReserveSamples32(output);
  random::SingleSampleAdapter<random::PhiloxRandom> next(&philox);
  for (int64_t i = 0; i + 1 < output; ++i) {
    std::swap(sizes[i], sizes[i + next() % static_cast<uint32_t>(output - i)]);
  }
  return sizes;
}

// With alpha = input / output, window i begins at ceil(alpha * (i + u)), i > 0.
// The interval from which u is drawn lets the first and the last window, which
// begin at 0 and end at `input` in any case, have no more than k + 1 elements.
std::vector<int64_t> SizesByOneNumber(int64_t input, int64_t output,
                                      GuardedPhiloxRandom* generator) {
  const double alpha = static_cast<double>(input) / output;
  const int64_t k = input / output;
  const double limit =
      std::min(static_cast<double>(k + 2) / alpha - 1,
               static_cast<double>(input + 1 - k) / alpha - (output - 1));
  auto philox = generator->ReserveSamples32(2);
  random::SimplePhilox numbers(&philox);
  const double u = numbers.RandDouble() * limit;
  std::vector<int64_t> sizes(output);
  int64_t last = 1;
  for (int64_t i = 1; i <= output; ++i) {
    const int64_t next = i == output
                             ? input + 1
                             : static_cast<int64_t>(std::ceil(alpha * (i + u)));
    sizes[i - 1] = next - last;
    last = next;
  }
  return sizes;
}

}  // namespace

std::vector<int64_t> PoolingSequence(int64_t input, int64_t output,
                                     bool pseudo_random,
                                     GuardedPhiloxRandom* generator) {
  std::vector<int64_t> sizes = pseudo_random
                                   ? SizesByOneNumber(input, output, generator)
                                   : ShuffledSizes(input, output, generator);
  // The sizes were drawn even if they are replaced, so that the next sequence
  // continues in the same place.
  if (input % output == 0) sizes.assign(output, input / output);
  std::vector<int64_t> sequence(output + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), sequence.begin() + 1);
  return sequence;
}

Status CheckPoolingSequence(const std::string& op, const char* name,
                            const Tensor& sequence, int64_t input_size,
                            int64_t output_size) {
  if (sequence.dims() != 1 || sequence.NumElements() != output_size + 1) {
    return errors::InvalidArgument(op, ": ", name, " must be a vector of ",
                                   output_size + 1, " elements, got shape ",
                                   sequence.shape().DebugString());
  }
  int64_t last = -1;
  for (int64_t value : Flat<int64_t>(sequence)) {
    if (value <= last || value > input_size) {
      return errors::InvalidArgument(
          op, ": ", name, " must increase from 0 on and not exceed ",
          input_size, ", got ", value, " after ", last);
    }
    last = value;
  }
  return OkStatus();
}

Status FractionalPool::Init(OpKernelConstruction* ctx) {
  op_ = ctx->def().op();
  TF_RETURN_IF_ERROR(ReadPoolingRatio(ctx, &ratio_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("pseudo_random", &pseudo_random_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("overlapping", &overlapping_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("deterministic", &deterministic_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("seed", &seed_));
  TF_RETURN_IF_ERROR(ctx->GetAttr("seed2", &seed2_));
  if (ratio_[0] != 1 || ratio_[3] != 1) {
    return errors::Unimplemented(
        op_,
        ": Fractional pooling is not yet supported on the batch nor channel "
        "dimension.");
  }
  if (!deterministic_ && (seed_ != 0 || seed2_ != 0)) {
    return errors::InvalidArgument(
        op_,
        ": seed and seed2 must be 0 unless deterministic is "
        "true, got ",
        seed_, " and ", seed2_);
  }
  if (deterministic_ && seed_ == 0 && seed2_ == 0) {
    // One choice serves for the life of the kernel.
    seed_ = static_cast<int64_t>(random::New64());
    seed2_ = static_cast<int64_t>(random::New64());
  }
  generator_.Init(seed_, seed2_);
  return OkStatus();
}

Status FractionalPool::Begin(OpKernelContext* ctx, const Tensor& input,
                             FractionalWindows* windows, TensorShape* output) {
  if (input.dims() != 4) {
    return errors::InvalidArgument(op_,
                                   ": value must be 4-dimensional, got shape ",
                                   input.shape().DebugString());
  }
  windows->overlapping = overlapping_;
  windows->input_rows = input.dim_size(1);
  windows->input_cols = input.dim_size(2);
  windows->depth = input.dim_size(3);
  absl::Span<const int64_t>* sequences[] = {&windows->rows, &windows->cols};
  GuardedPhiloxRandom again;
  if (deterministic_) again.Init(seed_, seed2_);
  *output = input.shape();
  for (int i = 0; i < 2; ++i) {
    const int64_t size = input.dim_size(i + 1);
    const auto pooled = static_cast<int64_t>(
        std::floor(static_cast<float>(size) / ratio_[i + 1]));
    if (pooled <= 0) {
      return errors::InvalidArgument(
          op_, ": dimension ", i + 1, " of value, ", size,
          ", must be at least its pooling_ratio, ", ratio_[i + 1]);
    }
    const std::vector<int64_t> sequence = PoolingSequence(
        size, pooled, pseudo_random_, deterministic_ ? &again : &generator_);
    Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(i + 1, TensorShape({pooled + 1}), &out));
    std::copy(sequence.begin(), sequence.end(), out->base<int64_t>());
    *sequences[i] = {out->base<int64_t>(), sequence.size()};
    output->set_dim(i + 1, pooled);
  }
  return OkStatus();
}

}  // namespace tensorwright
