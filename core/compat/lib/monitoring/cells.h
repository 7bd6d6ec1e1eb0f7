// SPDX-License-Identifier: Apache-2.0
// The cells of a metric, one for each combination of its labels' values.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_CELLS_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_CELLS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>

#include "core/platform/mutex.h"

namespace tensorwright {
namespace monitoring {

template <typename Cell, int NumLabels>
class Cells {
 public:
  // Lives as long as the metric; thread-safe.
  template <typename... Labels>
  Cell* GetCell(const Labels&... labels) {
    static_assert(sizeof...(labels) == NumLabels,
                  "a value for each label of the metric");
    mutex_lock l(mu_);
    return &cells_[{std::string(labels)...}];
  }

 private:
  mutex mu_;
  std::map<std::array<std::string, NumLabels>, Cell> cells_;
};

}  // namespace monitoring
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_CELLS_H_
