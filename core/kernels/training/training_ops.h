// SPDX-License-Identifier: Apache-2.0
// The update rules of the optimizers, one element at a time, and the loop that
// applies one to whole variables in one pass over memory.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/framework/numeric_types.h"

namespace tensorwright {

// What elements are computed in: 16-bit floats in float.
template <typename T>
using TrainingCompute =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>,
                       float, T>;

// Attrs of the training ops; an op has some of them.
struct TrainingAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  bool update_slots = true;
  bool multiply_linear_by_lr = false;
};

// A rule has kVars, the number of variables; kGrad, the number of the
// gradient's input; a constructor from `scalar(i)`, the value of scalar input
// i; and operator()(variables..., gradient), one element's step.

template <typename C>
struct GradientDescentRule {
  static constexpr int kVars = 1;
  static constexpr int kGrad = 2;
  template <typename Scalar>
  GradientDescentRule(const TrainingAttrs&, Scalar scalar) : alpha(scalar(1)) {}

  void operator()(C& var, C grad) const { var -= grad * alpha; }

  C alpha;
};

template <typename C, int kMomentumInput>
struct MomentumRuleBase {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  MomentumRuleBase(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(2)),
        momentum(scalar(kMomentumInput)),
        // Nesterov looks one step of momentum ahead.  What others leave out is
        // not multiplied by 0: of an infinite gradient that is no number.
        accum_weight(attrs.use_nesterov ? momentum * lr : lr),
        nesterov(attrs.use_nesterov) {}

  void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    const C ahead = grad * lr;
    var -= (nesterov ? ahead : C(0)) + accum * accum_weight;
  }

  C lr, momentum, accum_weight;
  bool nesterov;
};
template <typename C>
using MomentumRule = MomentumRuleBase<C, 4>;
template <typename C>
using SparseMomentumRule = MomentumRuleBase<C, 5>;

template <typename C>
struct AdamRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 9;
  template <typename Scalar>
  AdamRule(const TrainingAttrs& attrs, Scalar scalar)
      : rate(scalar(5) * std::sqrt(C(1) - scalar(4)) / (C(1) - scalar(3))),
        one_minus_beta1(C(1) - scalar(6)),
        one_minus_beta2(C(1) - scalar(7)),
        epsilon(scalar(8)),
        m_weight(attrs.use_nesterov ? scalar(6) : C(1)),
        nesterov(attrs.use_nesterov) {}

  void operator()(C& var, C& m, C& v, C grad) const {
    m += (grad - m) * one_minus_beta1;
    v += (grad * grad - v) * one_minus_beta2;
    const C ahead = grad * one_minus_beta1;
    var -= (m * m_weight + (nesterov ? ahead : C(0))) * rate /
           (std::sqrt(v) + epsilon);
  }

  C rate, one_minus_beta1, one_minus_beta2, epsilon, m_weight;
  bool nesterov;
};

template <typename C>
struct AdagradRule {
  static constexpr int kVars = 2;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  AdagradRule(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(2)), update_slots(attrs.update_slots) {}

  void operator()(C& var, C& accum, C grad) const {
    const C square = grad * grad;
    accum += update_slots ? square : C(0);
    var -= grad * lr / std::sqrt(accum);
  }

  C lr;
  bool update_slots;
};

template <typename C>
struct RMSPropRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 7;
  template <typename Scalar>
  RMSPropRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(3)),
        one_minus_rho(C(1) - scalar(4)),
        momentum(scalar(5)),
        epsilon(scalar(6)) {}

  void operator()(C& var, C& ms, C& mom, C grad) const {
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
  CenteredRMSPropRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(4)),
        one_minus_rho(C(1) - scalar(5)),
        momentum(scalar(6)),
        epsilon(scalar(7)) {}

  void operator()(C& var, C& mg, C& ms, C& mom, C grad) const {
    ms += (grad * grad - ms) * one_minus_rho;
    mg += (grad - mg) * one_minus_rho;
    mom = mom * momentum + grad * lr / std::sqrt(ms - mg * mg + epsilon);
    var -= mom;
  }

  C lr, one_minus_rho, momentum, epsilon;
};

template <typename C>
struct AdadeltaRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 6;
  template <typename Scalar>
  AdadeltaRule(const TrainingAttrs&, Scalar scalar)
      : lr(scalar(3)), rho(scalar(4)), epsilon(scalar(5)) {}

  void operator()(C& var, C& accum, C& accum_update, C grad) const {
    accum = accum * rho + grad * grad * (C(1) - rho);
    const C update =
        std::sqrt(accum_update + epsilon) / std::sqrt(accum + epsilon) * grad;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (C(1) - rho);
  }

  C lr, rho, epsilon;
};

template <typename C>
struct FtrlRule {
  static constexpr int kVars = 3;
  static constexpr int kGrad = 3;
  template <typename Scalar>
  FtrlRule(const TrainingAttrs& attrs, Scalar scalar)
      : lr(scalar(4)),
        l1(scalar(5)),
        l2(scalar(6)),
        lr_power(scalar(7)),
        // `linear`, and the quotient of the power and lr, are kept either as
        // they are or both multiplied by lr.
        linear_scale(attrs.multiply_linear_by_lr ? lr : C(1)),
        power_scale(attrs.multiply_linear_by_lr ? C(1) : C(1) / lr) {}

  C Power(C x) const {
    return lr_power == C(-0.5) ? std::sqrt(x) : std::pow(x, -lr_power);
  }

  void operator()(C& var, C& accum, C& linear, C grad) const {
    const C new_accum = accum + grad * grad;
    const C new_power = Power(new_accum);
    linear +=
        grad * linear_scale - (new_power - Power(accum)) * power_scale * var;
    const C threshold = l1 * linear_scale;
    const C x = (linear > C(0) ? threshold : -threshold) - linear;
    const C y = new_power * power_scale + C(2) * l2 * linear_scale;
    var = std::abs(linear) > threshold ? x / y : C(0);
    accum = new_accum;
  }

  C lr, l1, l2, lr_power, linear_scale, power_scale;
};

// How many elements go through registers together: a size the compiler knows,
// so that it uses vectors.
inline constexpr int kTrainingBlock = 64;

// Functions of their own, not inlined, because every rule needs them.
template <typename T>
[[gnu::noinline]] void LoadTrainingBlock(const T* from, int n,
                                         TrainingCompute<T>* to) {
  if constexpr (std::is_same_v<T, TrainingCompute<T>>) {
    std::memcpy(to, from, n * sizeof(T));
  } else {
    for (int j = 0; j < n; ++j) to[j] = static_cast<float>(from[j]);
  }
}
template <typename T>
[[gnu::noinline]] void StoreTrainingBlock(const TrainingCompute<T>* from, int n,
                                          T* to) {
  if constexpr (std::is_same_v<T, TrainingCompute<T>>) {
    std::memcpy(to, from, n * sizeof(T));
  } else {
    for (int j = 0; j < n; ++j) to[j] = static_cast<T>(from[j]);
  }
}

// Applies `rule` to elements [0, n) of the variables and the gradient, all of
// which are distinct memory.  Bound by memory.
template <typename T, typename Rule, size_t... I>
void ApplyRule(const Rule& shared_rule,
               const std::array<T*, sizeof...(I)>& vars, const T* grad,
               int64_t n, std::index_sequence<I...>) {
  using C = TrainingCompute<T>;
  const Rule rule = shared_rule;  // A copy that no store can change.
  C v[sizeof...(I)][kTrainingBlock] = {};
  C g[kTrainingBlock] = {};
  for (int64_t start = 0; start < n; start += kTrainingBlock) {
    const int size =
        static_cast<int>(std::min<int64_t>(kTrainingBlock, n - start));
    (LoadTrainingBlock<T>(vars[I] + start, size, v[I]), ...);
    LoadTrainingBlock<T>(grad + start, size, g);
    for (int j = 0; j < kTrainingBlock; ++j) rule(v[I][j]..., g[j]);
    (StoreTrainingBlock<T>(v[I], size, vars[I] + start), ...);
  }
}

template <typename T, typename Rule>
void ApplyRule(const Rule& rule, const std::array<T*, Rule::kVars>& vars,
               const T* grad, int64_t n) {
  ApplyRule<T>(rule, vars, grad, n, std::make_index_sequence<Rule::kVars>());
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_
