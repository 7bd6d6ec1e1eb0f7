// SPDX-License-Identifier: Apache-2.0
// The update rules of gradient descent, momentum, Adam and RMSProp, and of
// Adagrad and Adadelta; training_ops_rule.h says what a rule has.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULES_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULES_H_

#include <array>
#include <cmath>

#include "core/kernels/training/training_ops_rule.h"

namespace tensorwright {

// Returns the larger of both; NaN if one of them is.
template <typename C>
TW_RULE C Larger(C a, C b) {
  return a > b || a != a ? a : b;
}

template <typename C>
struct GradientDescentRule {
  static constexpr int kVars = 1;
  static constexpr int kGrad = 2;
  template <typename Scalar>
  TW_RULE GradientDescentRule(const TrainingAttrs&, Scalar scalar)
      : alpha(scalar(1)) {}

  TW_RULE void operator()(C& var, C grad) const { var -= grad * alpha; }

  C alpha;
};

// Corrects a gradient by how far the variable has moved since the gradient was
// computed, at `shadow` (Zheng et al. 2016).
template <typename C>
struct DelayCompensatedRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 2;
  static constexpr std::array<int, 2> kVarInputs = {0, 4};
  template <typename Scalar>
  TW_RULE DelayCompensatedRule(const TrainingAttrs&, Scalar scalar)
      : alpha(scalar(1)), lambda(scalar(3)) {}

  TW_RULE void operator()(C& var, C& shadow, C grad) const {
    var -= (grad + lambda * grad * (var - shadow)) * alpha;
    shadow = var;
  }

  C alpha, lambda;
};

template <typename C>
struct MomentumRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  TW_RULE MomentumRule(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(2)),
        momentum(scalar(4)),
        // Nesterov looks one step of momentum ahead.  The other case omits the
        // term; multiplying it by 0 would give NaN for an infinite gradient.
        accum_weight(attrs.use_nesterov ? momentum * lr : lr),
        nesterov(attrs.use_nesterov) {}

  TW_RULE void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    const C ahead = grad * lr;
    var -= (nesterov ? ahead : C(0)) + accum * accum_weight;
  }

  C lr, momentum, accum_weight;
  bool nesterov;
  static constexpr auto kFlag = &MomentumRule::nesterov;
};
// Momentum in units of the variable.
template <typename C>
struct KerasMomentumRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  TW_RULE KerasMomentumRule(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(2)), momentum(scalar(4)), nesterov(attrs.use_nesterov) {}

  TW_RULE void operator()(C& var, C& accum, C grad) const {
    const C step = grad * lr;
    accum = accum * momentum - step;
    const C ahead = accum * momentum - step;
    var += nesterov ? ahead : accum;
  }

  C lr, momentum;
  bool nesterov;
  static constexpr auto kFlag = &KerasMomentumRule::nesterov;
};

template <typename C>
struct AdamRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 9;
  template <typename Scalar>
  TW_RULE AdamRule(const TrainingAttrs& attrs, Scalar scalar)
      : rate(scalar(5) * std::sqrt(C(1) - scalar(4)) / (C(1) - scalar(3))),
        one_minus_beta1(C(1) - scalar(6)),
        one_minus_beta2(C(1) - scalar(7)),
        epsilon(scalar(8)),
        m_weight(attrs.use_nesterov ? scalar(6) : C(1)),
        nesterov(attrs.use_nesterov) {}

  TW_RULE void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * one_minus_beta1;
    v += (grad * grad - v) * one_minus_beta2;
    const C ahead = grad * one_minus_beta1;
    var -= (m * m_weight + (nesterov ? ahead : C(0))) * rate /
           (std::sqrt(v) + epsilon);
  }

  C rate, one_minus_beta1, one_minus_beta2, epsilon, m_weight;
  bool nesterov;
  static constexpr auto kFlag = &AdamRule::nesterov;
};

// Adam with a second moment that never shrinks.
template <typename C>
struct AdamWithAmsgradRule {
  static constexpr int kVars = 4;
  static constexpr int kGrad = 10;
  template <typename Scalar>
  TW_RULE AdamWithAmsgradRule(const TrainingAttrs&, Scalar scalar)
      : rate(scalar(6) * std::sqrt(C(1) - scalar(5)) / (C(1) - scalar(4))),
        one_minus_beta1(C(1) - scalar(7)),
        one_minus_beta2(C(1) - scalar(8)),
        epsilon(scalar(9)) {}

  TW_RULE void operator()(C& var, C& m, C& v, C& vhat, C grad) const {
    m += (grad - m) * one_minus_beta1;
    v += (grad * grad - v) * one_minus_beta2;
    vhat = Larger(v, vhat);
    var -= m * rate / (std::sqrt(vhat) + epsilon);
  }

  C rate, one_minus_beta1, one_minus_beta2, epsilon;
};

// Adam with the greatest gradient so far, which fades, instead of the second
// moment.
template <typename C>
struct AdaMaxRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 8;
  template <typename Scalar>
  TW_RULE AdaMaxRule(const TrainingAttrs&, Scalar scalar)
      : rate(scalar(4) / (C(1) - scalar(3))),
        one_minus_beta1(C(1) - scalar(5)),
        beta2(scalar(6)),
        epsilon(scalar(7)) {}

  TW_RULE void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * one_minus_beta1;
    v = Larger(C(std::abs(grad)), v * beta2);
    var -= m * rate / (v + epsilon);
  }

  C rate, one_minus_beta1, beta2, epsilon;
};

template <typename C>
struct AdagradRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  TW_RULE AdagradRule(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(2)), update_slots(attrs.update_slots) {}

  TW_RULE void operator()(C& var, C& accum, C grad) const {
    const C square = grad * grad;
    accum += update_slots ? square : C(0);
    var -= grad * lr / std::sqrt(accum);
  }

  C lr;
  bool update_slots;
  static constexpr auto kFlag = &AdagradRule::update_slots;
};

// Adagrad with a term that keeps the first steps small.
template <typename C>
struct AdagradV2Rule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 4;
  template <typename Scalar>
  TW_RULE AdagradV2Rule(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(2)), epsilon(scalar(3)), update_slots(attrs.update_slots) {}

  TW_RULE void operator()(C& var, C& accum, C grad) const {
    const C square = grad * grad;
    accum += update_slots ? square : C(0);
    var -= grad * lr / (std::sqrt(accum) + epsilon);
  }

  C lr, epsilon;
  bool update_slots;
  static constexpr auto kFlag = &AdagradV2Rule::update_slots;
};

template <typename C>
struct RMSPropRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 7;
  template <typename Scalar>
  TW_RULE RMSPropRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(3)),
        one_minus_rho(C(1) - scalar(4)),
        momentum(scalar(5)),
        epsilon(scalar(6)) {}

  TW_RULE void operator()(C& var, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * one_minus_rho;
    mom = mom * momentum + grad * lr / std::sqrt(ms + epsilon);
    var -= mom;
  }

  C lr, one_minus_rho, momentum, epsilon;
};

template <typename C>
struct CenteredRMSPropRule {
  static constexpr int kVars = 4;
  static constexpr int kGrad = 8;
  template <typename Scalar>
  TW_RULE CenteredRMSPropRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(4)),
        one_minus_rho(C(1) - scalar(5)),
        momentum(scalar(6)),
        epsilon(scalar(7)) {}

  TW_RULE void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * one_minus_rho;
    mg += (grad - mg) * one_minus_rho;
    mom = mom * momentum + grad * lr / std::sqrt(ms - mg * mg + epsilon);
    var -= mom;
  }

  C lr, one_minus_rho, momentum, epsilon;
};

// The same rule for single rows, with the blends that TensorFlow uses there:
// infinite moments then give infinities, while the step above gives NaN.
template <typename C>
struct SparseRMSPropRule : RMSPropRule<C> {
  template <typename Scalar>
  TW_RULE SparseRMSPropRule(const TrainingAttrs& attrs, Scalar scalar)
      : RMSPropRule<C>(attrs, scalar), rho(scalar(4)) {}

  TW_RULE void operator()(C& var, C& ms, C& mom, C grad) const {
    ms = ms * rho + grad * grad * this->one_minus_rho;
    mom =
        mom * this->momentum + grad * this->lr / std::sqrt(ms + this->epsilon);
    var -= mom;
  }

  C rho;
};

template <typename C>
struct SparseCenteredRMSPropRule : CenteredRMSPropRule<C> {
  template <typename Scalar>
  TW_RULE SparseCenteredRMSPropRule(const TrainingAttrs& attrs, Scalar scalar)
      : CenteredRMSPropRule<C>(attrs, scalar), rho(scalar(5)) {}

  TW_RULE void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms = ms * rho + grad * grad * this->one_minus_rho;
    mg = mg * rho + grad * this->one_minus_rho;
    mom = mom * this->momentum +
          grad * this->lr / std::sqrt(ms - mg * mg + this->epsilon);
    var -= mom;
  }

  C rho;
};

template <typename C>
struct AdadeltaRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 6;
  template <typename Scalar>
  TW_RULE AdadeltaRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(3)), rho(scalar(4)), epsilon(scalar(5)) {}

  TW_RULE void operator()(C& var, C& accum, C& accum_update, C grad) const {
    accum = accum * rho + grad * grad * (C(1) - rho);
    const C update =
        std::sqrt(accum_update + epsilon) / std::sqrt(accum + epsilon) * grad;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }

  C lr, rho, epsilon;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULES_H_
