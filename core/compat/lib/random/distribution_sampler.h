// SPDX-License-Identifier: Apache-2.0
// Sampling from a fixed discrete distribution, in constant time.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_DISTRIBUTION_SAMPLER_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_DISTRIBUTION_SAMPLER_H_

#include <vector>

#include "absl/types/span.h"
#include "core/lib/random/simple_philox.h"

namespace tensorwright {
namespace random {

// Walker's alias method: n columns of equal weight, each shared by two values.
// Thread-safe; the caller owns the generator.
class DistributionSampler {
 public:
  // Value i has weight weights[i] >= 0; not all are 0.
  explicit DistributionSampler(absl::Span<const float> weights);

  // Draws a value in [0, num()) by its weight.  As in TensorFlow, the
  // generator's first number chooses the part of a column, and the next one the
  // column.
  int Sample(SimplePhilox* rand) const {
    const float height = rand->RandFloat();
    const int column = static_cast<int>(rand->Uniform(num()));
    return height < columns_[column].share ? column : columns_[column].other;
  }
  int num() const { return static_cast<int>(columns_.size()); }

 private:
  struct Column {
    float share = 1;  // The share of the column's own value.
    int other = 0;
  };
  std::vector<Column> columns_;
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_DISTRIBUTION_SAMPLER_H_
