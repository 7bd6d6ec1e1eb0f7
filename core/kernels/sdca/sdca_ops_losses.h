// SPDX-License-Identifier: Apache-2.0
// The losses of linear models that dual coordinate ascent minimises, each with
// its conjugate.
//
// For example i with features x_i, label y_i and weight c_i the problem is
//
//   min_w  sum_i c_i loss(w . x_i, y_i) + l2 / 2 |w|^2 + l1 |w|_1
//
// and its dual has a variable a_i for each example, with w = shrink(sum_i c_i
// a_i x_i / l2).  A step optimises the variable of one example (Shalev-Shwartz
// and Zhang, 2013).  If several parts of the data are worked on at once, each
// counts its changes as many times as there are parts (Ma et al., 2015).
#ifndef TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_LOSSES_H_
#define TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_LOSSES_H_

#include <memory>
#include <string>

#include "core/lib/core/status.h"

namespace tensorwright {

// One example, as a step sees it.
struct SdcaStep {
  double label;
  double dual;
  double wx;  // Its prediction, w . x.
  // How much the prediction changes with the dual variable: parts times weight
  // times |x|^2 / l2.
  double curvature;
};

// Immutable; any thread may call it.
class SdcaLoss {
 public:
  virtual ~SdcaLoss() = default;

  // Converts a label of the data to the number that it stands for;
  // InvalidArgument if it is not one.
  virtual Status ConvertLabel(float* label) const = 0;
  // Returns the best dual variable while all others stay.
  virtual double UpdatedDual(const SdcaStep& step) const = 0;
  virtual double Primal(double wx, double label) const = 0;
  // Returns the conjugate at minus `dual`; the largest double if that is
  // infinite.
  virtual double Dual(double dual, double label) const = 0;
  // Returns the derivative of Primal() by wx.
  virtual double Derivative(double wx, double label) const = 0;
  // Returns one over the Lipschitz constant of Derivative(), 0 if it has none.
  virtual double Smoothness() const = 0;
};

// Makes the loss that attr loss_type names; null for an unknown one.
std::unique_ptr<SdcaLoss> MakeSdcaLoss(const std::string& loss_type);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_LOSSES_H_
