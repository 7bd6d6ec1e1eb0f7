// SPDX-License-Identifier: Apache-2.0
// Sampling from a discrete distribution whose weights change.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_WEIGHTED_PICKER_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_WEIGHTED_PICKER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/lib/random/simple_philox.h"

namespace tensorwright {
namespace random {

// Keeps sums of weights in a tree: picking, and changing a weight, take log2(n)
// steps.  The weights' sum must fit an int32.  Not thread-safe.
class WeightedPicker {
 public:
  // n >= 0 values of weight 1.
  explicit WeightedPicker(int n);

  // Draws a value in [0, num_elements()) by its weight; -1 if all weights are
  // 0.
  int Pick(SimplePhilox* rnd) const;
  // The value whose share of [0, total_weight()) has `weight_index`, with the
  // shares in order; -1 if none has.
  int PickAt(int32_t weight_index) const;

  int32_t get_weight(int index) const;
  // `weight` >= 0.
  void set_weight(int index, int32_t weight);
  int32_t total_weight() const { return sums_[1]; }
  int num_elements() const { return n_; }

  void SetAllWeights(int32_t weight);
  // The number of values becomes weights.size().
  void SetWeightsFromArray(absl::Span<const int32_t> weights);
  void SetWeightsFromArray(int n, const int32_t* weights) {
    SetWeightsFromArray(absl::Span<const int32_t>(weights, n));
  }
  // A new value has weight 0.
  void Resize(int n);
  void Append(int32_t weight);

 private:
  void Rebuild(const std::vector<int32_t>& weights);

  int n_ = 0;
  int leaves_ = 1;  // A power of two, >= n_.
  // Node i has the sum of nodes 2i and 2i + 1; leaf k is node leaves_ + k.
  std::vector<int32_t> sums_;
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_WEIGHTED_PICKER_H_
