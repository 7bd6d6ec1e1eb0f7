// SPDX-License-Identifier: Apache-2.0
// The loop that applies an optimizer's update rule, which is written for one
// element (training_ops_rules*.h), to whole variables in one pass over memory.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/training/training_ops_rule.h"

namespace tensorwright {

// The type in which elements are computed: float for 16-bit floats.
template <typename T>
using TrainingCompute =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>,
                       float, T>;

// The number of columns that a thread takes together, in rows that several
// threads share.
inline constexpr int kTrainingBlock = 64;

// Applies a rule to n elements of the variables and the gradient, all of which
// are distinct memory.  There is a loop for each value of the rule's flag,
// because a branch in each element would prevent vectors.
struct UpdateLoop {
  template <typename Rule, typename C, size_t kVars>
  TW_WIDE_LOOP static void Run(const Rule& shared_rule,
                               std::array<C*, kVars> vars, const C* grad,
                               int64_t n) {
    constexpr auto kAll = std::make_index_sequence<kVars>();
    Rule rule = shared_rule;  // A copy that no store can change.
    if constexpr (requires { Rule::kFlag; }) {
      if (rule.*Rule::kFlag) {
        rule.*Rule::kFlag = true;
        RunOn(rule, vars, grad, n, kAll);
        return;
      }
      rule.*Rule::kFlag = false;
    }
    RunOn(rule, vars, grad, n, kAll);
  }

 private:
  template <typename Rule, typename C, size_t kVars, size_t... I>
  TW_WIDE_LOOP static void RunOn(const Rule& rule, std::array<C*, kVars> vars,
                                 const C* grad, int64_t n,
                                 std::index_sequence<I...>) {
    TW_VECTORIZE
    for (int64_t j = 0; j < n; ++j) rule(vars[I][j]..., grad[j]);
  }
};

// Applies `rule` to n elements; floats of 16 bits go through buffers of float.
template <typename T, typename Rule>
void ApplyRule(const Rule& rule, std::array<T*, Rule::kVars> vars,
               const T* grad, int64_t n) {
  using C = TrainingCompute<T>;
  if constexpr (std::is_same_v<T, C>) {
    RunWide<UpdateLoop>(rule, vars, grad, n);
  } else {
    C wide[Rule::kVars + 1][kWidenBlock];
    std::array<C*, Rule::kVars> wide_vars;
    for (int k = 0; k < Rule::kVars; ++k) wide_vars[k] = wide[k];
    C* const wide_grad = wide[Rule::kVars];
    for (int64_t start = 0; start < n; start += kWidenBlock) {
      const int64_t size = std::min(kWidenBlock, n - start);
      for (int k = 0; k < Rule::kVars; ++k) {
        WidenFloats(vars[k] + start, wide_vars[k], size);
      }
      WidenFloats(grad + start, wide_grad, size);
      RunWide<UpdateLoop>(rule, wide_vars, static_cast<const C*>(wide_grad),
                          size);
      for (int k = 0; k < Rule::kVars; ++k) {
        NarrowFloats(wide_vars[k], vars[k] + start, size);
      }
    }
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_
