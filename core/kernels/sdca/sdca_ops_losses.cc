// SPDX-License-Identifier: Apache-2.0
// The losses, one class each.

#include "core/kernels/sdca/sdca_ops_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::max();

// 0 and 1 stand for -1 and 1.
Status ConvertBinaryLabel(float* label) {
  if (*label != 0 && *label != 1) {
    return errors::InvalidArgument(
        "Only labels of 0.0 or 1.0 are supported right now. Found example with "
        "label: ",
        *label);
  }
  if (*label == 0) *label = -1;
  return OkStatus();
}

// Returns the place where an increasing function, whose slope is at least
// `least_slope`, is 0.  `f` returns its value and its slope.  Takes Newton's
// steps from `x` as long as they stay in the interval that must have the zero,
// and halves that otherwise.
template <typename F>
double ZeroOf(const F& f, double x, double least_slope) {
  constexpr int kMostSteps = 100;
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (int i = 0; i < kMostSteps; ++i) {
    const auto [value, slope] = f(x);
    if (std::isnan(value) || (i == 0 && std::isinf(value))) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    const double farthest = x - value / least_slope;
    if (value > 0) {
      high = std::min(high, x);
      low = std::max(low, farthest);
    } else {
      low = std::max(low, x);
      high = std::min(high, farthest);
    }
    double next = x - value / slope;
    if (!(next >= low && next <= high)) next = low + (high - low) / 2;
    const bool settled = std::abs(next - x) <= 1e-14 * (1 + std::abs(x));
    x = next;
    if (settled) break;
  }
  return x;
}

// log(1 + exp(-y wx)).
class LogisticLoss final : public SdcaLoss {
 public:
  Status ConvertLabel(float* label) const override {
    return ConvertBinaryLabel(label);
  }
  // The variable times the label is a probability, (1 + tanh(x)) / 2.
  double UpdatedDual(const SdcaStep& s) const override {
    const double x = ZeroOf(
        [&s](double v) {
          const double tanh = std::tanh(v);
          const double moved = 0.5 * (1 + tanh) - s.label * s.dual;
          return std::make_pair(
              2 * v + s.label * s.wx + s.curvature * moved,
              2 + 0.5 * s.curvature * (1 - tanh) * (1 + tanh));
        },
        0, 2);
    return 0.5 * (1 + std::tanh(x)) * s.label;
  }
  double Primal(double wx, double label) const override {
    const double y_wx = label * wx;
    // The exponential of a positive number may be infinite.
    return y_wx > 0 ? std::log1p(std::exp(-y_wx))
                    : std::log1p(std::exp(y_wx)) - y_wx;
  }
  double Dual(double dual, double label) const override {
    const double p = dual * label;
    return Entropy(p) + Entropy(1 - p);
  }
  double Derivative(double wx, double label) const override {
    const double y_wx = label * wx;
    if (y_wx > 0) {
      const double e = std::exp(-y_wx);
      return -label * e / (1 + e);
    }
    return -label / (1 + std::exp(y_wx));
  }
  double Smoothness() const override { return 4; }

 private:
  static double Entropy(double p) { return p <= 0 ? 0 : p * std::log(p); }
};

// (wx - y)^2 / 2.
class SquaredLoss final : public SdcaLoss {
 public:
  Status ConvertLabel(float*) const override { return OkStatus(); }
  double UpdatedDual(const SdcaStep& s) const override {
    return s.dual + (s.label - s.dual - s.wx) / (1 + s.curvature);
  }
  double Primal(double wx, double label) const override {
    return 0.5 * (wx - label) * (wx - label);
  }
  double Dual(double dual, double label) const override {
    return dual * (0.5 * dual - label);
  }
  double Derivative(double wx, double label) const override {
    return wx - label;
  }
  double Smoothness() const override { return 1; }
};

// max(0, 1 - y wx), or with gamma > 0 rounded at the corner: a parabola on
// [1 - gamma, 1].
class HingeLoss final : public SdcaLoss {
 public:
  explicit HingeLoss(double gamma) : gamma_(gamma) {}

  Status ConvertLabel(float* label) const override {
    return ConvertBinaryLabel(label);
  }
  // The best number without limits, moved to the nearest place at which the
  // variable times the label is in [0, 1].
  double UpdatedDual(const SdcaStep& s) const override {
    const double best =
        s.dual + (s.label - s.wx - gamma_ * s.dual) / (s.curvature + gamma_);
    if (s.label * best < 0) return 0;
    return s.label * best > 1 ? s.label : best;
  }
  double Primal(double wx, double label) const override {
    const double missing = 1 - label * wx;
    if (missing <= 0) return 0;
    return missing >= gamma_ ? missing - gamma_ / 2
                             : 0.5 * missing * missing / gamma_;
  }
  double Dual(double dual, double label) const override {
    const double p = dual * label;
    if (p < 0 || p > 1) return kInfinite;
    return -p + 0.5 * gamma_ * dual * dual;
  }
  double Derivative(double wx, double label) const override {
    const double missing = 1 - label * wx;
    if (missing <= 0) return 0;
    return missing >= gamma_ ? -label : -label * missing / gamma_;
  }
  double Smoothness() const override { return gamma_; }

 private:
  const double gamma_;
};

// exp(wx) - y wx.
class PoissonLoss final : public SdcaLoss {
 public:
  Status ConvertLabel(float* label) const override {
    if (*label >= 0) return OkStatus();
    return errors::InvalidArgument(
        "Only non-negative labels can be used with the Poisson log loss. Found "
        "example with label: ",
        *label);
  }
  // The variable is the label minus exp(x).
  double UpdatedDual(const SdcaStep& s) const override {
    const double rest = s.label - s.dual;
    const double x = ZeroOf(
        [&s, rest](double v) {
          const double exp = std::exp(v);
          return std::make_pair(v - s.wx - s.curvature * (rest - exp),
                                1 + s.curvature * exp);
        },
        rest > 0 ? std::log(rest) : 0, 1);
    return s.label - std::exp(x);
  }
  double Primal(double wx, double label) const override {
    return std::exp(wx) - wx * label;
  }
  double Dual(double dual, double label) const override {
    const double rest = label - dual;
    if (rest < 0) return kInfinite;
    return rest == 0 ? 0 : rest * (std::log(rest) - 1);
  }
  double Derivative(double wx, double label) const override {
    return std::exp(wx) - label;
  }
  // No constant serves all predictions; this one only weighs examples.
  double Smoothness() const override { return 1; }
};

}  // namespace

std::unique_ptr<SdcaLoss> MakeSdcaLoss(const std::string& loss_type) {
  if (loss_type == "logistic_loss") return std::make_unique<LogisticLoss>();
  if (loss_type == "squared_loss") return std::make_unique<SquaredLoss>();
  if (loss_type == "hinge_loss") return std::make_unique<HingeLoss>(0.0);
  if (loss_type == "smooth_hinge_loss") return std::make_unique<HingeLoss>(1.0);
  if (loss_type == "poisson_loss") return std::make_unique<PoissonLoss>();
  return nullptr;
}

}  // namespace tensorwright
