// SPDX-License-Identifier: Apache-2.0
// Counters that a program keeps: monitoring::Counter<1>::New("/a/b", "what",
// "label")->GetCell("value")->IncrementBy(1).  Nothing exports them; the
// program reads them itself.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_COUNTER_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_COUNTER_H_

#include "core/compat/lib/monitoring/cells.h"

namespace tensorwright {
namespace monitoring {

class CounterCell {
 public:
  void IncrementBy(int64_t step) { value_.fetch_add(step); }
  int64_t value() const { return value_.load(); }

 private:
  std::atomic<int64_t> value_{0};
};

template <int NumLabels>
class Counter final : public Cells<CounterCell, NumLabels> {
 public:
  template <typename... Args>
  static Counter* New(Args&&...) {
    return new Counter;
  }
};

}  // namespace monitoring
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_COUNTER_H_
