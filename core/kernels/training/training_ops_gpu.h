// SPDX-License-Identifier: Apache-2.0
// Applies the rules of training_ops_rules*.h on a GPU.
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_GPU_H_

#include <cstdint>

#include "core/kernels/training/training_ops_rule.h"
#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;

namespace tensorwright {

// A rule is applied to these, in the device's memory.  Scalars are read there,
// so that a step waits for nothing.
struct GpuTraining {
  static constexpr int kMaxVars = 4;
  static constexpr int kMaxInputs = 11;

  TrainingAttrs attrs;
  void* vars[kMaxVars] = {};
  const void* grad = nullptr;
  const void* inputs[kMaxInputs] = {};  // By the input's number.
};

// Enqueues the rule's step for n elements.  T: Half, Bfloat16, float, double.
template <template <typename> class RuleOf, typename T>
Status GpuApply(CUstream_st* stream, const GpuTraining& training, int64_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_GPU_H_
