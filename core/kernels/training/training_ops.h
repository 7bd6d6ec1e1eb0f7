// SPDX-License-Identifier: Apache-2.0
// The loop that applies an optimizer's update rule, which is written for one
// element (training_ops_rules*.h), to whole variables in one pass over memory.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_

#include <algorithm>
#include <array>
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
// i; and operator()(variables..., gradient), one element's step.  Inputs are
// numbered as those of the dense op: a sparse one has its indices behind the
// gradient, which rules know nothing of.  Variables are the first inputs unless
// the rule has kVarInputs.

// How many elements go through registers together: a size the compiler knows,
// so that it uses vectors.
inline constexpr int kTrainingBlock = 64;
inline constexpr int kTrainingTail = 8;

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
// which are distinct memory, kBlock at a time.
template <int kBlock, typename T, typename Rule, size_t... I>
void ApplyBlocks(const Rule& shared_rule,
                 const std::array<T*, sizeof...(I)>& vars, const T* grad,
                 int64_t n, std::index_sequence<I...>) {
  using C = TrainingCompute<T>;
  const Rule rule = shared_rule;  // A copy that no store can change.
  C v[sizeof...(I)][kBlock] = {};
  C g[kBlock] = {};
  for (int64_t start = 0; start < n; start += kBlock) {
    const int size = static_cast<int>(std::min<int64_t>(kBlock, n - start));
    (LoadTrainingBlock<T>(vars[I] + start, size, v[I]), ...);
    LoadTrainingBlock<T>(grad + start, size, g);
    for (int j = 0; j < kBlock; ++j) rule(v[I][j]..., g[j]);
    (StoreTrainingBlock<T>(v[I], size, vars[I] + start), ...);
  }
}

// The same, in large blocks and what is left, or all of a narrow row, in small
// ones.  Bound by memory.
template <typename T, typename Rule>
void ApplyRule(const Rule& rule, std::array<T*, Rule::kVars> vars,
               const T* grad, int64_t n) {
  constexpr auto kAll = std::make_index_sequence<Rule::kVars>();
  const int64_t whole = n - n % kTrainingBlock;
  if (whole > 0) ApplyBlocks<kTrainingBlock, T>(rule, vars, grad, whole, kAll);
  if (whole == n) return;
  for (T*& p : vars) p += whole;
  ApplyBlocks<kTrainingTail, T>(rule, vars, grad + whole, n - whole, kAll);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_H_
