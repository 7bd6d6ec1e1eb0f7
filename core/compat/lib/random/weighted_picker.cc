// SPDX-License-Identifier: Apache-2.0
// The tree of WeightedPicker.
#include "core/compat/lib/random/weighted_picker.h"

#include <bit>

#include "core/platform/logging.h"

namespace tensorwright {
namespace random {

WeightedPicker::WeightedPicker(int n) {
  CHECK_GE(n, 0);
  Rebuild(std::vector<int32_t>(n, 1));
}

int WeightedPicker::Pick(SimplePhilox* rnd) const {
  return total_weight() == 0 ? -1 : PickAt(rnd->Uniform(total_weight()));
}

int WeightedPicker::PickAt(int32_t weight_index) const {
  if (weight_index < 0 || weight_index >= total_weight()) return -1;
  int node = 1;
  while (node < leaves_) {
    node *= 2;
    if (weight_index >= sums_[node]) weight_index -= sums_[node++];
  }
  return node - leaves_;
}

int32_t WeightedPicker::get_weight(int index) const {
  CHECK(index >= 0 && index < n_);
  return sums_[leaves_ + index];
}

void WeightedPicker::set_weight(int index, int32_t weight) {
  CHECK_GE(weight, 0);
  const int32_t change = weight - get_weight(index);
  for (int node = leaves_ + index; node >= 1; node /= 2) sums_[node] += change;
}

void WeightedPicker::SetAllWeights(int32_t weight) {
  CHECK_GE(weight, 0);
  Rebuild(std::vector<int32_t>(n_, weight));
}

void WeightedPicker::SetWeightsFromArray(absl::Span<const int32_t> weights) {
  Rebuild(std::vector<int32_t>(weights.begin(), weights.end()));
}

void WeightedPicker::Resize(int n) {
  CHECK_GE(n, 0);
  std::vector<int32_t> weights(sums_.begin() + leaves_,
                               sums_.begin() + leaves_ + n_);
  weights.resize(n, 0);
  Rebuild(weights);
}

void WeightedPicker::Append(int32_t weight) {
  if (n_ == leaves_) {
    Resize(n_ + 1);
  } else {
    ++n_;
  }
  set_weight(n_ - 1, weight);
}

void WeightedPicker::Rebuild(const std::vector<int32_t>& weights) {
  n_ = static_cast<int>(weights.size());
  leaves_ = static_cast<int>(std::bit_ceil(static_cast<uint32_t>(n_)));
  sums_.assign(2 * leaves_, 0);
  for (int i = 0; i < n_; ++i) sums_[leaves_ + i] = weights[i];
  for (int node = leaves_ - 1; node >= 1; --node) {
    sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }
}

}  // namespace random
}  // namespace tensorwright
