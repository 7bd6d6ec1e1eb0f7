// SPDX-License-Identifier: Apache-2.0
// Builds the columns of the alias method.
#include "core/compat/lib/random/distribution_sampler.h"

#include "core/platform/logging.h"

namespace tensorwright {
namespace random {

DistributionSampler::DistributionSampler(absl::Span<const float> weights)
    : columns_(weights.size()) {
  double total = 0;
  for (float w : weights) {
    CHECK_GE(w, 0) << "a negative weight";
    total += w;
  }
  CHECK_GT(total, 0) << "no weight at all";
  const int n = static_cast<int>(weights.size());
  // The weight that is left of each value, in columns.
  std::vector<double> left(n);
  std::vector<int> small, large;
  for (int i = 0; i < n; ++i) {
    left[i] = weights[i] * n / total;
    (left[i] < 1 ? small : large).push_back(i);
  }
  // A large value fills up each small value's column.
  while (!small.empty() && !large.empty()) {
    const int low = small.back(), high = large.back();
    small.pop_back();
    columns_[low] = {static_cast<float>(left[low]), high};
    left[high] -= 1 - left[low];
    if (left[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
  // The rest is 1, except for rounding: the value has the whole column.
  for (int i : small) columns_[i] = {1, i};
  for (int i : large) columns_[i] = {1, i};
}

}  // namespace random
}  // namespace tensorwright
