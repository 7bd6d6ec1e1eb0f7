// SPDX-License-Identifier: Apache-2.0
// The kernels of the candidate samplers and of ComputeAccidentalHits.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/candidate_sampling/candidate_sampler_ops_range.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/simple_philox.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

// true_classes: [batch, num_true].
Status CheckShape(const Tensor& true_classes, int64_t num_true) {
  if (true_classes.dims() != 2) {
    return errors::InvalidArgument("true_classes must be a matrix, got shape ",
                                   true_classes.shape().DebugString());
  }
  if (true_classes.dim_size(1) != num_true) {
    return errors::InvalidArgument(
        "true_classes must have num_true columns, expected: ", num_true,
        " was: ", true_classes.dim_size(1));
  }
  return OkStatus();
}

// The same for classes, which must be in [0, range).
Status CheckTrueClasses(const Tensor& true_classes, int64_t num_true,
                        int64_t range) {
  TF_RETURN_IF_ERROR(CheckShape(true_classes, num_true));
  const absl::Span<const int64_t> classes(true_classes.base<int64_t>(),
                                          true_classes.NumElements());
  for (const int64_t value : classes) {
    if (value >= 0 && value < range) continue;
    return errors::InvalidArgument("true_classes has ", value,
                                   ", which is not in [0, ", range, ")");
  }
  return OkStatus();
}

// A kernel sets `sampler_` in its constructor.
class SamplerOp : public OpKernel {
 public:
  explicit SamplerOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_true", &num_true_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_sampled", &num_sampled_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("unique", &unique_));
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& true_classes = ctx->input(0);
    OP_REQUIRES_OK(
        ctx, CheckTrueClasses(true_classes, num_true_, sampler_->range()));
    Tensor *sampled = nullptr, *of_true = nullptr, *of_sampled = nullptr;
    const TensorShape shape({num_sampled_});
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &sampled));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(1, true_classes.shape(), &of_true));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, shape, &of_sampled));
    const int64_t n = true_classes.NumElements();
    const absl::Span<const int64_t> classes(true_classes.base<int64_t>(), n);
    // One call may draw this many numbers, as in TensorFlow.
    random::PhiloxRandom stream =
        generator_.ReserveSamples32(2048 * int64_t{num_sampled_});
    random::SimplePhilox rnd(&stream);
    mutex_lock lock(mu_);
    OP_REQUIRES_OK(
        ctx,
        SampleBatch(*sampler_, &rnd, unique_,
                    absl::MakeSpan(sampled->base<int64_t>(), num_sampled_),
                    absl::MakeSpan(of_sampled->base<float>(), num_sampled_),
                    classes, absl::MakeSpan(of_true->base<float>(), n)));
    if (sampler_->Learns()) sampler_->Update(classes);
  }

 protected:
  int64_t num_sampled() const { return num_sampled_; }
  void set_sampler(std::unique_ptr<RangeSampler> sampler) {
    sampler_ = std::move(sampler);
  }

 private:
  int num_true_ = 0;
  int num_sampled_ = 0;
  bool unique_ = false;
  GuardedPhiloxRandom generator_;
  mutex mu_;  // For a sampler that learns.
  std::unique_ptr<RangeSampler> sampler_;
};

// Uses a maker of candidate_sampler_ops_range.h, with attr range_max.
template <std::unique_ptr<RangeSampler> (*kMake)(int64_t)>
class RangeSamplerOp final : public SamplerOp {
 public:
  explicit RangeSamplerOp(OpKernelConstruction* ctx) : SamplerOp(ctx) {
    if (!ctx->status().ok()) return;
    int64_t range;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("range_max", &range));
    OP_REQUIRES(ctx, kMake != MakeLearnedSampler || range <= kMostLearned,
                errors::InvalidArgument("range_max must be at most ",
                                        kMostLearned, ", got ", range));
    set_sampler(kMake(range));
  }
};

class FixedUnigramSamplerOp final : public SamplerOp {
 public:
  explicit FixedUnigramSamplerOp(OpKernelConstruction* ctx) : SamplerOp(ctx) {
    if (!ctx->status().ok()) return;
    std::vector<float> weights;
    OP_REQUIRES_OK(ctx, ReadWeights(ctx, &weights));
    set_sampler(MakeWeightedSampler(std::move(weights)));
  }

 private:
  // Weights of the classes of this shard.
  static Status ReadWeights(OpKernelConstruction* ctx,
                            std::vector<float>* weights) {
    int64_t range, reserved, shards, shard;
    float distortion;
    std::string file;
    std::vector<float> unigrams;
    TF_RETURN_IF_ERROR(ctx->GetAttr("range_max", &range));
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_reserved_ids", &reserved));
    TF_RETURN_IF_ERROR(ctx->GetAttr("num_shards", &shards));
    TF_RETURN_IF_ERROR(ctx->GetAttr("shard", &shard));
    TF_RETURN_IF_ERROR(ctx->GetAttr("distortion", &distortion));
    TF_RETURN_IF_ERROR(ctx->GetAttr("vocab_file", &file));
    TF_RETURN_IF_ERROR(ctx->GetAttr("unigrams", &unigrams));
    if (file.empty() == unigrams.empty()) {
      return errors::InvalidArgument(
          "Must provide exactly one of vocab_file and unigrams.");
    }
    if (shard >= shards) {
      return errors::InvalidArgument("shard must be less than num_shards ",
                                     shards, ", got ", shard);
    }
    if (reserved < 0 || reserved > range) {
      return errors::InvalidArgument(
          "num_reserved_ids must be in [0, range_max = ", range, "], got ",
          reserved);
    }
    if (!file.empty()) {
      TF_RETURN_IF_ERROR(ReadVocabulary(ctx->env(), file, &unigrams));
    }
    int64_t id = 0;
    for (; id < reserved; ++id) {
      if (id % shards == shard) weights->push_back(0);
    }
    bool any = false;
    for (const float unigram : unigrams) {
      if (id++ % shards != shard) continue;
      const float w = std::pow(unigram, distortion);
      if (!(w >= 0) || std::isinf(w)) {
        return errors::InvalidArgument(
            "Weights must be finite and not negative, got ", unigram,
            " to the power of ", distortion);
      }
      any |= w > 0;
      weights->push_back(w);
    }
    const int64_t found = static_cast<int64_t>(weights->size());
    if (found != range) {
      return errors::InvalidArgument("range_max is ", range,
                                     ", which must equal the number of weights "
                                     "of this shard, ",
                                     found);
    }
    if (!any) {
      return errors::InvalidArgument("At least one weight must be positive.");
    }
    return OkStatus();
  }

  // Reads the last column of each line.
  static Status ReadVocabulary(Env* env, const std::string& file,
                               std::vector<float>* unigrams) {
    std::string text;
    TF_RETURN_IF_ERROR(ReadFileToString(env, file, &text));
    for (const absl::string_view line :
         absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      const std::vector<absl::string_view> columns = absl::StrSplit(line, ',');
      float unigram;
      if (!absl::SimpleAtof(columns.back(), &unigram)) {
        return errors::InvalidArgument("Wrong vocabulary format at line: ",
                                       line);
      }
      unigrams->push_back(unigram);
    }
    return OkStatus();
  }
};

// Gives every class once.
class AllSamplerOp final : public OpKernel {
 public:
  explicit AllSamplerOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_true", &num_true_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_sampled", &num_sampled_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& true_classes = ctx->input(0);
    OP_REQUIRES_OK(ctx,
                   CheckTrueClasses(true_classes, num_true_, num_sampled_));
    Tensor *sampled = nullptr, *of_true = nullptr, *of_sampled = nullptr;
    const TensorShape shape({num_sampled_});
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &sampled));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(1, true_classes.shape(), &of_true));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, shape, &of_sampled));
    for (int64_t i = 0; i < num_sampled_; ++i) {
      sampled->base<int64_t>()[i] = i;
    }
    std::fill_n(of_sampled->base<float>(), num_sampled_, 1.0f);
    std::fill_n(of_true->base<float>(), of_true->NumElements(), 1.0f);
  }

 private:
  int num_true_ = 0;
  int num_sampled_ = 0;
};

class AccidentalHitsOp final : public OpKernel {
 public:
  explicit AccidentalHitsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_true", &num_true_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& true_classes = ctx->input(0);
    const Tensor& sampled = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckShape(true_classes, num_true_));
    OP_REQUIRES(ctx, sampled.dims() == 1,
                errors::InvalidArgument(
                    "sampled_candidates must be a vector, got shape ",
                    sampled.shape().DebugString()));
    absl::flat_hash_map<int64_t, int64_t> places;
    places.reserve(sampled.NumElements());
    for (int64_t i = 0; i < sampled.NumElements(); ++i) {
      places[sampled.base<int64_t>()[i]] = i;
    }
    std::vector<std::pair<int32_t, int64_t>> hits;
    const int64_t* value = true_classes.base<int64_t>();
    for (int64_t i = 0; i < true_classes.NumElements(); ++i) {
      const auto found = places.find(value[i]);
      if (found == places.end()) continue;
      hits.emplace_back(static_cast<int32_t>(i / num_true_), found->second);
    }
    const int64_t n = static_cast<int64_t>(hits.size());
    Tensor *indices = nullptr, *ids = nullptr, *weights = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n}), &indices));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &ids));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({n}), &weights));
    for (int64_t i = 0; i < n; ++i) {
      indices->base<int32_t>()[i] = hits[i].first;
      ids->base<int64_t>()[i] = hits[i].second;
    }
    std::fill_n(weights->base<float>(), n,
                std::numeric_limits<float>::lowest());
  }

 private:
  int num_true_ = 0;
};

}  // namespace

REGISTER_KERNEL_BUILDER(Name("UniformCandidateSampler").Device(DEVICE_CPU),
                        RangeSamplerOp<MakeUniformSampler>);
REGISTER_KERNEL_BUILDER(Name("LogUniformCandidateSampler").Device(DEVICE_CPU),
                        RangeSamplerOp<MakeLogUniformSampler>);
REGISTER_KERNEL_BUILDER(
    Name("LearnedUnigramCandidateSampler").Device(DEVICE_CPU),
    RangeSamplerOp<MakeLearnedSampler>);
REGISTER_KERNEL_BUILDER(
    Name("ThreadUnsafeUnigramCandidateSampler").Device(DEVICE_CPU),
    RangeSamplerOp<MakeLearnedSampler>);
REGISTER_KERNEL_BUILDER(Name("FixedUnigramCandidateSampler").Device(DEVICE_CPU),
                        FixedUnigramSamplerOp);
REGISTER_KERNEL_BUILDER(Name("AllCandidateSampler").Device(DEVICE_CPU),
                        AllSamplerOp);
REGISTER_KERNEL_BUILDER(Name("ComputeAccidentalHits").Device(DEVICE_CPU),
                        AccidentalHitsOp);

}  // namespace tensorwright
