// SPDX-License-Identifier: Apache-2.0
#include "core/compat/kernels/training_op_helpers.h"

#include <algorithm>
#include <utility>

#include "core/framework/resource_mgr.h"
#include "core/framework/tensor_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

bool IsResource(OpKernelContext* ctx, int input) {
  return ctx->input_dtype(input) == DT_RESOURCE;
}

}  // namespace

mutex* GetTrainingVariableMutex(OpKernelContext* ctx, int input) {
  if (!IsResource(ctx, input)) return ctx->input_ref_mutex(input);
  core::RefCountPtr<Var> var;
  const Status found = LookupResource(ctx, HandleFromInput(ctx, input), &var);
  if (!found.ok()) {
    ctx->CtxFailure(found);
    return nullptr;
  }
  // The resource manager keeps the variable while the step runs.
  return var->mu();
}

VariableInputLockHolder::~VariableInputLockHolder() {
  // Unlocks before the variables that have the locks are released.
  locks_.clear();
}

VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(
    OpKernelContext* ctx, bool do_lock, const std::vector<int>& input_ids) {
  VariableInputLockHolder holder;
  if (!do_lock) return holder;
  std::vector<mutex*> mutexes;
  for (int input : input_ids) {
    if (!IsResource(ctx, input)) {
      mutexes.push_back(ctx->input_ref_mutex(input));
      continue;
    }
    core::RefCountPtr<Var> var;
    const Status found = LookupResource(ctx, HandleFromInput(ctx, input), &var);
    if (!found.ok()) {
      ctx->CtxFailure(found);
      return holder;
    }
    mutexes.push_back(var->mu());
    holder.vars_.push_back(std::move(var));
  }
  std::sort(mutexes.begin(), mutexes.end());
  mutexes.erase(std::unique(mutexes.begin(), mutexes.end()), mutexes.end());
  for (mutex* mu : mutexes) {
    holder.locks_.push_back(std::make_unique<mutex_lock>(*mu));
  }
  return holder;
}

void MaybeForwardRefInputToRefOutput(OpKernelContext* ctx, int input,
                                     int output) {
  if (!IsResource(ctx, input)) {
    ctx->forward_ref_input_to_ref_output(input, output);
  }
}

Status GetInputTensorFromVariable(OpKernelContext* ctx, int input,
                                  bool lock_held, bool, Tensor* out) {
  if (!IsResource(ctx, input)) {
    *out = ctx->mutable_input(input, lock_held);
    return Status();
  }
  core::RefCountPtr<Var> var;
  TF_RETURN_IF_ERROR(LookupResource(ctx, HandleFromInput(ctx, input), &var));
  if (lock_held) {
    TF_RETURN_IF_ERROR(PrepareToUpdateVariable(ctx, var->tensor()));
    *out = *var->tensor();
    return Status();
  }
  mutex_lock l(*var->mu());
  TF_RETURN_IF_ERROR(PrepareToUpdateVariable(ctx, var->tensor()));
  *out = *var->tensor();
  return Status();
}

Status PrepareToUpdateVariable(OpKernelContext*, Tensor* tensor) {
  if (tensor->IsInitialized() && !tensor->RefCountIsOne()) {
    *tensor = tensor::DeepCopy(*tensor);
  }
  return Status();
}

}  // namespace tensorwright
