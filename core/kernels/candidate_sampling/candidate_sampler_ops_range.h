// SPDX-License-Identifier: Apache-2.0
// Distributions over the classes [0, range) of candidate samplers.
//
// The numbers drawn from a stream are TensorFlow's: uniform integers, inverses
// of cumulated weights, Vose's aliases (1991).
#ifndef TENSORWRIGHT_CORE_KERNELS_CANDIDATE_SAMPLING_CANDIDATE_SAMPLER_OPS_RANGE_H_
#define TENSORWRIGHT_CORE_KERNELS_CANDIDATE_SAMPLING_CANDIDATE_SAMPLER_OPS_RANGE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "core/lib/core/status.h"
#include "core/lib/random/simple_philox.h"

namespace tensorwright {

// Several threads must not use it at once if Learns().
class RangeSampler {
 public:
  explicit RangeSampler(int64_t range) : range_(range) {}
  virtual ~RangeSampler() = default;
  RangeSampler(const RangeSampler&) = delete;

  int64_t range() const { return range_; }
  virtual int64_t Sample(random::SimplePhilox* rnd) const = 0;
  // 0 for a value that is no class.
  virtual float Probability(int64_t value) const = 0;
  // The number of classes that can be drawn.
  virtual int64_t Possible() const { return range_; }
  // Does Update() change it?
  virtual bool Learns() const { return false; }
  virtual void Update(absl::Span<const int64_t> values) { (void)values; }

 private:
  const int64_t range_;
};

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range);
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range);
// Each class has weight 1, and 1 more for each Update() with it.  range must be
// at most kMostLearned.
inline constexpr int64_t kMostLearned = 1 << 26;
std::unique_ptr<RangeSampler> MakeLearnedSampler(int64_t range);
// Weights are finite and >= 0; at least one is not 0.
std::unique_ptr<RangeSampler> MakeWeightedSampler(std::vector<float> weights);

// Draws batch.size() classes, all different if `unique`, and sets how often
// each of them and of `extras` was to be expected.  InvalidArgument if fewer
// classes can be drawn.
Status SampleBatch(const RangeSampler& sampler, random::SimplePhilox* rnd,
                   bool unique, absl::Span<int64_t> batch,
                   absl::Span<float> batch_expected,
                   absl::Span<const int64_t> extras,
                   absl::Span<float> extras_expected);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_CANDIDATE_SAMPLING_CANDIDATE_SAMPLER_OPS_RANGE_H_
