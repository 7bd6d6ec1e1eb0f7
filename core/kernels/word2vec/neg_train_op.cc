// SPDX-License-Identifier: Apache-2.0
// NegTrain: a step of gradient ascent on vectors of words, with negative
// sampling (Mikolov et al., 2013):
//
//   log sigmoid(in[example] . out[label])
//     + sum over samples s != label of log sigmoid(-in[example] . out[s])

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/bounds_check.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/simple_philox.h"
#include "core/platform/fingerprint.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

constexpr int kMostSamples = 1 << 20;

// Draws numbers in proportion to weights, by Vose's aliases (1991).  Immutable.
class WeightedSampler {
 public:
  explicit WeightedSampler(const std::vector<float>& weights)
      : buckets_(weights.size()) {
    const int64_t n = static_cast<int64_t>(weights.size());
    double sum = 0;
    for (const float w : weights) sum += w;
    std::vector<double> share(n);
    std::vector<int32_t> low, high;
    for (int32_t i = 0; i < n; ++i) {
      buckets_[i] = {1, i};
      share[i] = (weights[i] * static_cast<double>(n)) / sum;
      (share[i] < 1 ? low : high).push_back(i);
    }
    while (!low.empty() && !high.empty()) {
      const int32_t l = low.back(), h = high.back();
      low.pop_back();
      buckets_[l] = {static_cast<float>(share[l]), h};
      share[h] -= 1 - share[l];
      if (share[h] < 1) {
        high.pop_back();
        low.push_back(h);
      }
    }
  }

  int64_t size() const { return static_cast<int64_t>(buckets_.size()); }
  int32_t Sample(random::SimplePhilox* random) const {
    const float r = random->RandFloat();
    const uint32_t i = random->Uniform(static_cast<uint32_t>(buckets_.size()));
    return r < buckets_[i].share ? static_cast<int32_t>(i) : buckets_[i].other;
  }

 private:
  // A number below `share` gives the bucket's own index, a larger one `other`.
  struct Bucket {
    float share;
    int32_t other;
  };
  std::vector<Bucket> buckets_;
};

// The vectors and words of one call; vectors are rows of `size` floats.
struct Batch {
  float* in;
  float* out;
  int64_t size;
  absl::Span<const int32_t> examples, labels;
  float rate;
  int samples;
  const WeightedSampler* sampler;
  random::SimplePhilox* random;
  float* change;  // [size], scratch.
};

struct TrainLoop {
  TW_WIDE_LOOP static void Run(const Batch* b) {
    for (size_t i = 0; i < b->examples.size(); ++i) {
      float* in = b->in + b->examples[i] * b->size;
      const int32_t label = b->labels[i];
      for (int64_t d = 0; d < b->size; ++d) b->change[d] = 0;
      Learn(*b, in, label, /*is_label=*/true);
      for (int j = 0; j < b->samples; ++j) {
        const int32_t sample = b->sampler->Sample(b->random);
        if (sample != label) Learn(*b, in, sample, /*is_label=*/false);
      }
      float* change = b->change;
      TW_VECTORIZE
      for (int64_t d = 0; d < b->size; ++d) in[d] += change[d];
    }
  }

  // The derivative of log sigmoid(x) is sigmoid(-x).
  TW_WIDE_LOOP static void Learn(const Batch& b, const float* in, int32_t word,
                                 bool is_label) {
    float* out = b.out + word * b.size;
    const float x = Dot(in, out, b.size);
    const float slope =
        is_label ? 1 / (1 + std::exp(x)) : -1 / (1 + std::exp(-x));
    const float by = slope * b.rate;
    float* change = b.change;
    TW_VECTORIZE
    for (int64_t d = 0; d < b.size; ++d) {
      change[d] += by * out[d];
      out[d] += by * in[d];
    }
  }

  TW_WIDE_LOOP static float Dot(const float* x, const float* y, int64_t n) {
    constexpr int64_t kLanes = 16;
    float sums[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) sums[j] += x[i + j] * y[i + j];
    }
    for (; i < n; ++i) sums[i % kLanes] += x[i] * y[i];
    float sum = 0;
    for (int64_t j = 0; j < kLanes; ++j) sum += sums[j];
    return sum;
  }
};

Status CheckWords(const char* name, absl::Span<const int32_t> words,
                  int64_t vocabulary) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (FastBoundsCheck(words[i], vocabulary)) continue;
    return errors::InvalidArgument("NegTrain: ", name, "[", i, "] = ", words[i],
                                   " is not in [0, ", vocabulary, ")");
  }
  return OkStatus();
}

class NegTrainOp final : public OpKernel {
 public:
  explicit NegTrainOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), sampler_(std::vector<float>()) {
    std::vector<int32_t> counts;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("vocab_count", &counts));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_negative_samples", &samples_));
    OP_REQUIRES(ctx, samples_ >= 0 && samples_ <= kMostSamples,
                errors::InvalidArgument(
                    "NegTrain: num_negative_samples must be in [0, ",
                    kMostSamples, "], got ", samples_));
    std::vector<float> weights;
    for (const int32_t count : counts) {
      OP_REQUIRES(
          ctx, count >= 0,
          errors::InvalidArgument(
              "NegTrain: vocab_count must not be negative, got ", count));
      weights.push_back(std::pow(static_cast<float>(count), 0.75f));
    }
    sampler_ = WeightedSampler(weights);
    // The op has no seed attr.  Runs repeat, and two nodes draw different
    // words.
    generator_.Init(static_cast<int64_t>(Fingerprint64(name())), 1);
  }

  void Compute(OpKernelContext* ctx) override {
    // Several calls at once may change the vectors, as with other updates that
    // do not lock.
    WritableVariables vectors;
    OP_REQUIRES_OK(ctx, vectors.Open(ctx, {0, 1}, DT_FLOAT,
                                     /*lock_references=*/false));
    for (int i = 0; i < 2; ++i) {
      OP_REQUIRES(ctx, vectors[i].IsInitialized(),
                  errors::FailedPrecondition(
                      "Attempting to use uninitialized variables: ",
                      requested_input(i)));
    }
    const TensorShape& shape = vectors[0].shape();
    OP_REQUIRES(
        ctx, shape.dims() == 2 && vectors[1].IsSameSize(vectors[0]),
        errors::InvalidArgument(
            "NegTrain: w_in and w_out must be matrices of one shape, "
            "got ",
            shape.DebugString(), " and ", vectors[1].shape().DebugString()));
    const int64_t vocabulary = shape.dim_size(0);
    OP_REQUIRES(ctx, vocabulary == sampler_.size(),
                errors::InvalidArgument(
                    "NegTrain: vocab_size mismatches: w_in has ", vocabulary,
                    " rows, vocab_count ", sampler_.size(), " words"));
    const absl::Span<const int32_t> examples = Flat<int32_t>(ctx->input(2));
    const absl::Span<const int32_t> labels = Flat<int32_t>(ctx->input(3));
    OP_REQUIRES_OK(ctx, CheckWords("examples", examples, vocabulary));
    OP_REQUIRES_OK(ctx, CheckWords("labels", labels, vocabulary));
    // A sample takes two numbers, one of which may be drawn more than once.
    random::PhiloxRandom stream = generator_.ReserveSamples32(
        static_cast<int64_t>(examples.size()) * samples_ * 8);
    random::SimplePhilox random(&stream);
    std::vector<float> change(shape.dim_size(1));
    const Batch batch{vectors[0].base<float>(),
                      vectors[1].base<float>(),
                      shape.dim_size(1),
                      examples,
                      labels,
                      *ctx->input(4).base<float>(),
                      samples_,
                      &sampler_,
                      &random,
                      change.data()};
    RunWide<TrainLoop>(&batch);
  }

 private:
  int samples_ = 0;
  WeightedSampler sampler_;
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_BUILDER(Name("NegTrain").Device(DEVICE_CPU), NegTrainOp);

}  // namespace
}  // namespace tensorwright
