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
// Thread-safe; the generator is the caller's.
class DistributionSampler {
 public:
  // Value i has weight weights[i] >= 0; not all are 0.
  explicit DistributionSampler(absl::Span<const float> weights);

  // A value in [0, num()), by its weight.  Of the generator's numbers the first
  // says which part of a column, as in TensorFlow, and the next which column.
  int Sample(SimplePhilox* rand) const {
    const float height = rand->RandFloat();
    const int column = static_cast<int>(rand->Uniform(num()));
    return height < columns_[column].share ? column : columns_[column].other;
  }
  int num() const { return static_cast<int>(columns_.size()); }

 private:
  struct Column {
    float share = 1;  // Of the column's own value.
    int other = 0;
  };
  std::vector<Column> columns_;
};

}  // namespace random
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_RANDOM_DISTRIBUTION_SAMPLER_H_
