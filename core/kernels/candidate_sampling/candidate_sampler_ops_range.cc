// SPDX-License-Identifier: Apache-2.0
// The distributions of candidate_sampler_ops_range.h.

#include "core/kernels/candidate_sampling/candidate_sampler_ops_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/framework/bounds_check.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class UniformSampler final : public RangeSampler {
 public:
  using RangeSampler::RangeSampler;

  int64_t Sample(random::SimplePhilox* rnd) const override {
    return static_cast<int64_t>(rnd->Uniform64(range()));
  }
  float Probability(int64_t) const override {
    return static_cast<float>(1.0 / static_cast<double>(range()));
  }
};

class LogUniformSampler final : public RangeSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : RangeSampler(range), log_range_(std::log1p(range)) {}

  int64_t Sample(random::SimplePhilox* rnd) const override {
    const double value = std::exp(rnd->RandDouble() * log_range_);
    // Rounding may give `range` itself.
    return (static_cast<int64_t>(value) - 1) % range();
  }
  float Probability(int64_t value) const override {
    const double k = static_cast<double>(value);
    return static_cast<float>(std::log((k + 2) / (k + 1)) / log_range_);
  }

 private:
  const double log_range_;
};

// Fenwick's tree (1994) of the amounts added to weights of 1.
class LearnedSampler final : public RangeSampler {
 public:
  explicit LearnedSampler(int64_t range)
      : RangeSampler(range), added_(range), tree_(range + 1), total_(range) {
    while (2 * top_ <= range) top_ *= 2;
  }

  int64_t Sample(random::SimplePhilox* rnd) const override {
    int64_t rest = rnd->Uniform(static_cast<uint32_t>(total_));
    // Finds the first class for which the weights up to it are more than
    // `rest`.
    int64_t at = 0;
    for (int64_t step = top_; step > 0; step /= 2) {
      if (at + step > range()) continue;
      const int64_t weight = tree_[at + step] + step;
      if (rest >= weight) {
        rest -= weight;
        at += step;
      }
    }
    return std::min(at, range() - 1);
  }
  float Probability(int64_t value) const override {
    if (!FastBoundsCheck(value, range())) return 0;
    return static_cast<float>(static_cast<double>(added_[value] + 1) /
                              static_cast<double>(total_));
  }
  bool Learns() const override { return true; }
  void Update(absl::Span<const int64_t> values) override {
    for (const int64_t value : values) {
      if (!FastBoundsCheck(value, range()) || total_ == INT32_MAX) continue;
      ++added_[value];
      ++total_;
      for (int64_t i = value + 1; i <= range(); i += i & -i) ++tree_[i];
    }
  }

 private:
  std::vector<int32_t> added_;
  std::vector<int32_t> tree_;  // 1 + [range]; node i is for i & -i classes.
  int64_t total_;
  int64_t top_ = 1;
};

class WeightedSampler final : public RangeSampler {
 public:
  explicit WeightedSampler(std::vector<float> weights)
      : RangeSampler(static_cast<int64_t>(weights.size())),
        weights_(std::move(weights)),
        buckets_(weights_.size()) {
    for (const float w : weights_) {
      total_ += w;
      possible_ += w > 0;
    }
    MakeBuckets();
  }

  int64_t Sample(random::SimplePhilox* rnd) const override {
    const float r = rnd->RandFloat();
    const uint32_t i = rnd->Uniform(static_cast<uint32_t>(buckets_.size()));
    return r < buckets_[i].share ? int64_t{i} : int64_t{buckets_[i].other};
  }
  float Probability(int64_t value) const override {
    if (!FastBoundsCheck(value, range())) return 0;
    return weights_[value] / total_;
  }
  int64_t Possible() const override { return possible_; }

 private:
  // A bucket of the alias method: its own class up to `share`, then `other`.
  struct Bucket {
    float share = 1;
    int32_t other = 0;
  };

  void MakeBuckets() {
    const int64_t n = range();
    double sum = 0;
    for (const float w : weights_) sum += w;
    std::vector<double> share(n);
    std::vector<int32_t> low, high;
    for (int64_t i = 0; i < n; ++i) {
      share[i] = (weights_[i] * static_cast<double>(n)) / sum;
      (share[i] < 1 ? low : high).push_back(static_cast<int32_t>(i));
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
    for (const auto* rest : {&low, &high}) {
      for (const int32_t i : *rest) buckets_[i] = {1, i};
    }
  }

  const std::vector<float> weights_;
  std::vector<Bucket> buckets_;
  float total_ = 0;
  int64_t possible_ = 0;
};

// The expected count of a class that each of `tries` draws gives with
// probability p; `count` were wanted.
float Expected(float p, int64_t count, int64_t tries) {
  if (tries == count) return p * static_cast<float>(count);
  return static_cast<float>(
      -std::expm1(static_cast<double>(tries) * std::log1p(-p)));
}

}  // namespace

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range) {
  return std::make_unique<UniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range) {
  return std::make_unique<LogUniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeLearnedSampler(int64_t range) {
  return std::make_unique<LearnedSampler>(range);
}
std::unique_ptr<RangeSampler> MakeWeightedSampler(std::vector<float> weights) {
  return std::make_unique<WeightedSampler>(std::move(weights));
}

Status SampleBatch(const RangeSampler& sampler, random::SimplePhilox* rnd,
                   bool unique, absl::Span<int64_t> batch,
                   absl::Span<float> batch_expected,
                   absl::Span<const int64_t> extras,
                   absl::Span<float> extras_expected) {
  const int64_t count = static_cast<int64_t>(batch.size());
  int64_t tries = 0;
  if (unique) {
    // The sampler does not wait for classes that are so unlikely.
    constexpr int64_t kMostTries = int64_t{1} << 27;
    if (sampler.Possible() < count) {
      return errors::InvalidArgument("Sampler's range is too small: ", count,
                                     " different classes of ",
                                     sampler.Possible());
    }
    absl::flat_hash_set<int64_t> seen;
    seen.reserve(count);
    for (int64_t i = 0; i < count; ++tries) {
      if (tries == kMostTries) {
        return errors::InvalidArgument("Sampler found ", i,
                                       " different classes of ", count, " in ",
                                       tries, " draws");
      }
      const int64_t value = sampler.Sample(rnd);
      if (seen.insert(value).second) batch[i++] = value;
    }
  } else {
    for (int64_t& value : batch) value = sampler.Sample(rnd);
    tries = count;
  }
  for (int64_t i = 0; i < count; ++i) {
    batch_expected[i] = Expected(sampler.Probability(batch[i]), count, tries);
  }
  for (size_t i = 0; i < extras.size(); ++i) {
    extras_expected[i] = Expected(sampler.Probability(extras[i]), count, tries);
  }
  return OkStatus();
}

}  // namespace tensorwright
