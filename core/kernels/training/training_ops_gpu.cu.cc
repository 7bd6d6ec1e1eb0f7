// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/training/training_ops_gpu.h"

#include <utility>

#include "core/kernels/training/training_ops_rules.h"
#include "core/kernels/training/training_ops_rules_regularized.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace {

template <typename T>
struct ScalarOf {
  const GpuTraining* training;

  __device__ gpu::Compute<T> operator()(int i) const {
    return gpu::Widen(*static_cast<const T*>(training->inputs[i]));
  }
};

template <class Rule, typename T, size_t... I>
__device__ __forceinline__ void Step(const Rule& rule, const GpuTraining& t,
                                     int64_t at, std::index_sequence<I...>) {
  gpu::Compute<T> values[] = {
      gpu::Widen(static_cast<const T*>(t.vars[I])[at])...};
  rule(values[I]..., gpu::Widen(static_cast<const T*>(t.grad)[at]));
  ((static_cast<T*>(t.vars[I])[at] = gpu::Narrow<T>(values[I])), ...);
}

// Each thread makes the rule once, for all its elements.
template <class Rule, typename T>
__global__ void __launch_bounds__(gpu::kThreads)
    ApplyKernel(GpuTraining t, int64_t n) {
  const Rule rule(t.attrs, ScalarOf<T>{&t});
  const int64_t step = gpu::GridStep<int64_t>();
  for (int64_t i = gpu::GridFirst<int64_t>(); i < n; i += step) {
    Step<Rule, T>(rule, t, i, std::make_index_sequence<Rule::kVars>());
  }
}

}  // namespace

template <template <typename> class RuleOf, typename T>
Status GpuApply(CUstream_st* stream, const GpuTraining& training, int64_t n) {
  using Rule = RuleOf<gpu::Compute<T>>;
  static_assert(Rule::kVars <= GpuTraining::kMaxVars &&
                Rule::kGrad < GpuTraining::kMaxInputs);
  return gpu::Launch(stream, gpu::Blocks(n), gpu::kThreads, 0,
                     ApplyKernel<Rule, T>, training, n);
}

#define TW_APPLY(rule)                                                        \
  template Status GpuApply<rule, gpu::Half>(CUstream_st*, const GpuTraining&, \
                                            int64_t);                         \
  template Status GpuApply<rule, gpu::Bfloat16>(CUstream_st*,                 \
                                                const GpuTraining&, int64_t); \
  template Status GpuApply<rule, float>(CUstream_st*, const GpuTraining&,     \
                                        int64_t);                             \
  template Status GpuApply<rule, double>(CUstream_st*, const GpuTraining&,    \
                                         int64_t);
TW_APPLY(GradientDescentRule)
TW_APPLY(MomentumRule)
TW_APPLY(KerasMomentumRule)
TW_APPLY(AdamRule)
TW_APPLY(AdamWithAmsgradRule)
TW_APPLY(AdaMaxRule)
TW_APPLY(AdagradRule)
TW_APPLY(AdagradV2Rule)
TW_APPLY(RMSPropRule)
TW_APPLY(CenteredRMSPropRule)
TW_APPLY(AdadeltaRule)
TW_APPLY(AddSignRule)
TW_APPLY(PowerSignRule)
#undef TW_APPLY

}  // namespace tensorwright
