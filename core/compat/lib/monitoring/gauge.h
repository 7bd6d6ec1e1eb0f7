// SPDX-License-Identifier: Apache-2.0
// Values that a program keeps; see counter.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_GAUGE_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_GAUGE_H_

#include <string>

#include "core/compat/lib/monitoring/cells.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace monitoring {

template <typename T>
class GaugeCell {
 public:
  void Set(const T& value) {
    mutex_lock l(mu_);
    value_ = value;
  }
  T value() const {
    mutex_lock l(mu_);
    return value_;
  }

 private:
  mutable mutex mu_;
  T value_{};
};

template <typename T, int NumLabels>
class Gauge final : public Cells<GaugeCell<T>, NumLabels> {
 public:
  template <typename... Args>
  static Gauge* New(Args&&...) {
    return new Gauge;
  }
};

}  // namespace monitoring
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_MONITORING_GAUGE_H_
