// SPDX-License-Identifier: Apache-2.0
// The losses of linear models that dual coordinate ascent minimises, each with
// its conjugate.
//
// For example i with features x_i, label y_i and weight c_i the problem is
//
//   min_w  sum_i c_i loss(w . x_i, y_i) + l2 / 2 |w|^2 + l1 |w|_1
//
// and its dual has a variable a_i for each example, with w = shrink(sum_i c_i
// a_i x_i / l2).  One example's variable is optimised at a time (Shalev-Shwartz
// and Zhang, 2013); with the data in several parts that are worked on at once,
// each pretends that its changes count as many times (Ma et al., 2015).
#ifndef TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_LOSSES_H_
#define TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_LOSSES_H_

#include <memory>
#include <string>

#include "core/lib/core/status.h"

namespace tensorwright {

// One example as a step sees it.
struct SdcaStep {
  double label;
  double dual;
  double wx;  // Its prediction, w . x.
  // How much the prediction changes with the dual variable: parts times weight
  // times |x|^2 / l2.
  double curvature;
};

// Immutable; any thread.
class SdcaLoss {
 public:
  virtual ~SdcaLoss() = default;

  // What the label of the data, which is checked, stands for.
  virtual Status ConvertLabel(float* label) const = 0;
  // The best dual variable, all others left as they are.
  virtual double UpdatedDual(const SdcaStep& step) const = 0;
  virtual double Primal(double wx, double label) const = 0;
  // The conjugate at minus `dual`; the largest double where it is infinite.
  virtual double Dual(double dual, double label) const = 0;
  // Of Primal() by wx.
  virtual double Derivative(double wx, double label) const = 0;
  // One over the Lipschitz constant of Derivative(), 0 if it has none.
  virtual double Smoothness() const = 0;
};

// By the value of attr loss_type; null for an unknown one.
std::unique_ptr<SdcaLoss> MakeSdcaLoss(const std::string& loss_type);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_LOSSES_H_
