// SPDX-License-Identifier: Apache-2.0
// The update rules of optimizers that look at signs, and of those that pull
// variables to 0; training_ops_rule.h says what a rule has.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULES_REGULARIZED_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULES_REGULARIZED_H_

#include <algorithm>
#include <cmath>

#include "core/kernels/training/training_ops_rule.h"

namespace tensorwright {

// Returns -1, 0 or 1, and NaN for NaN.
template <typename C>
TW_RULE C SignOf(C x) {
  return x > C(0) ? C(1) : x < C(0) ? C(-1) : x;
}

// AddSign and PowerSign (Bello et al. 2017): the step is larger if gradient and
// momentum have the same sign.
template <typename C>
struct AddSignRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 6;
  template <typename Scalar>
  TW_RULE AddSignRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(2)),
        alpha(scalar(3)),
        sign_decay(scalar(4)),
        beta(scalar(5)) {}

  TW_RULE void operator()(C& var, C& m, C grad) const {
    // Not m + (1 - beta)(grad - m), with which an infinite m would become NaN.
    m = beta * m + (C(1) - beta) * grad;
    const C agreement = SignOf(grad) * SignOf(m);
    var -= lr * (alpha + sign_decay * agreement) * grad;
  }

  C lr, alpha, sign_decay, beta;
};

template <typename C>
struct PowerSignRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 6;
  template <typename Scalar>
  TW_RULE PowerSignRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(2)),
        // There are three steps: for agreement, for neither, and for
        // disagreement.
        agree(std::exp(scalar(3) * scalar(4))),
        disagree(std::exp(-(scalar(3) * scalar(4)))),
        beta(scalar(5)) {}

  TW_RULE void operator()(C& var, C& m, C grad) const {
    // Not m + (1 - beta)(grad - m), with which an infinite m would become NaN.
    m = beta * m + (C(1) - beta) * grad;
    const C agreement = SignOf(grad) * SignOf(m);
    const C weight = agreement > C(0)   ? agree
                     : agreement < C(0) ? disagree
                                        : agreement + C(1);
    var -= lr * weight * grad;
  }

  C lr, agree, disagree, beta;
};

// Returns `x` moved towards 0 by `by`, but not past 0.
template <typename C>
TW_RULE C Shrunk(C x, C by) {
  return SignOf(x) * std::max(std::abs(x) - by, C(0));
}

// Dual averaging (Duchi et al. 2011): the variable is a function of the sums of
// all gradients and of their squares.
template <typename C>
struct AdagradDARule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  TW_RULE AdagradDARule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(4)),
        l1_steps(scalar(5) * scalar(7)),
        l2_steps(scalar(6) * scalar(7) * scalar(4)) {}

  TW_RULE void operator()(C& var, C& sum, C& squares, C grad) const {
    sum += grad;
    squares += grad * grad;
    const C pull = !(l1_steps <= C(0)) ? Shrunk(sum, l1_steps) : sum;
    var = -lr * pull / (l2_steps + std::sqrt(squares));
  }

  C lr, l1_steps, l2_steps;
};

// Proximal steps (Duchi and Singer 2009): a plain step, then one towards 0.
template <typename C>
struct ProximalGradientDescentRule {
  static constexpr int kVars = 1;
  static constexpr int kGrad = 4;
  template <typename Scalar>
  TW_RULE ProximalGradientDescentRule(const TrainingAttrs&, Scalar scalar)
      : alpha(scalar(1)), l1(scalar(2)), l2(scalar(3)) {}

  TW_RULE void operator()(C& var, C grad) const {
    const C moved = var - grad * alpha;
    const C kept = !(l1 <= C(0)) ? Shrunk(moved, alpha * l1) : moved;
    var = kept / (C(1) + alpha * l2);
  }

  C alpha, l1, l2;
};

template <typename C>
struct ProximalAdagradRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 5;
  template <typename Scalar>
  TW_RULE ProximalAdagradRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(2)), l1(scalar(3)), l2(scalar(4)) {}

  TW_RULE void operator()(C& var, C& accum, C grad) const {
    accum += grad * grad;
    const C rate = lr / std::sqrt(accum);
    const C moved = var - grad * rate;
    const C kept = !(l1 <= C(0)) ? Shrunk(moved, rate * l1) : moved;
    var = kept / (C(1) + rate * l2);
  }

  C lr, l1, l2;
};

// With `kShrinks`, ApplyFtrlV2: scalars have l2_shrinkage before lr_power, and
// `linear` sees the gradient of l2_shrinkage * var^2 as well.
template <typename C, bool kShrinks>
struct FtrlRuleBase {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  TW_RULE FtrlRuleBase(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(4)),
        l1(scalar(5)),
        l2(scalar(6)),
        shrinkage(kShrinks ? C(2) * scalar(7) : C(0)),
        lr_power(scalar(kShrinks ? 8 : 7)),
        is_root(lr_power == C(-0.5)),
        // `linear`, and the quotient of the power and lr, are both multiplied
        // by lr or both not.
        linear_scale(attrs.multiply_linear_by_lr ? lr : C(1)),
        power_scale(attrs.multiply_linear_by_lr ? C(1) : C(1) / lr) {}

  TW_RULE C Power(C x) const {
    return is_root ? std::sqrt(x) : std::pow(x, -lr_power);
  }

  TW_RULE void operator()(C& var, C& accum, C& linear, C grad) const {
    const C new_accum = accum + grad * grad;
    const C new_power = Power(new_accum);
    const C pull = kShrinks ? grad + shrinkage * var : grad;
    linear +=
        pull * linear_scale - (new_power - Power(accum)) * power_scale * var;
    const C threshold = l1 * linear_scale;
    const C x = (linear > C(0) ? threshold : -threshold) - linear;
    const C y = new_power * power_scale + C(2) * l2 * linear_scale;
    var = std::abs(linear) > threshold ? x / y : C(0);
    accum = new_accum;
  }

  C lr, l1, l2, shrinkage, lr_power;
  bool is_root;
  C linear_scale, power_scale;
  static constexpr auto kFlag = &FtrlRuleBase::is_root;
};
template <typename C>
using FtrlRule = FtrlRuleBase<C, false>;
template <typename C>
using FtrlV2Rule = FtrlRuleBase<C, true>;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULES_REGULARIZED_H_
