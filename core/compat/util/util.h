// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's util.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_UTIL_H_

#include <vector>

#include "core/util/util.h"

namespace tensorwright {

// The mean of the last `window` values.
class MovingAverage {
 public:
  explicit MovingAverage(int window) : values_(static_cast<size_t>(window)) {}

  void Clear() { count_ = next_ = 0, sum_ = 0; }
  double GetAverage() const {
    return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
  }
  void AddValue(double v) {
    if (count_ == values_.size()) {
      sum_ -= values_[next_];
    } else {
      ++count_;
    }
    values_[next_] = v;
    next_ = (next_ + 1) % values_.size();
    sum_ += v;
  }

 private:
  std::vector<double> values_;
  size_t count_ = 0, next_ = 0;
  double sum_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_UTIL_H_
