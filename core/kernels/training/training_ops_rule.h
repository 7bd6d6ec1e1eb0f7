// SPDX-License-Identifier: Apache-2.0
// An optimizer's update rule for one element, as CPUs and GPUs compile it.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULE_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULE_H_

#include <array>
#include <cstdint>

namespace tensorwright {

// Must be inlined into the loops that CPUs choose between (wide_loops.h), and
// callable on a GPU.
#if defined(__CUDACC__)
#define TW_RULE __host__ __device__ __forceinline__
#else
#define TW_RULE [[gnu::always_inline]] inline
#endif

// The attrs of the training ops; each op has some of them.
struct TrainingAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  bool update_slots = true;
  bool multiply_linear_by_lr = false;
};

// A rule has the members kVars, the number of variables; kGrad, the number of
// the gradient's input; a constructor from `scalar(i)`, the value of scalar
// input i; and operator()(variables..., gradient), a TW_RULE, as the
// constructor is: one element's step. Inputs have the numbers of the dense
// op's; a sparse op has its indices behind the gradient, and rules do not see
// them.  Variables are the first inputs unless the rule has kVarInputs.

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_RULE_H_
