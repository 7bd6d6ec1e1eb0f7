// SPDX-License-Identifier: Apache-2.0
// Helpers by which optimizers' kernels use variables, as references or as
// resources.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_TRAINING_OP_HELPERS_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_TRAINING_OP_HELPERS_H_

#include <memory>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/variables.h"
#include "core/platform/mutex.h"

namespace tensorwright {

// The mutex of the variable of an input; null, with the error set in `ctx`, if
// there is none.
mutex* GetTrainingVariableMutex(OpKernelContext* ctx, int input);

// Holds the locks of several variables, and the variables.
class VariableInputLockHolder {
 public:
  VariableInputLockHolder() = default;
  VariableInputLockHolder(VariableInputLockHolder&&) = default;
  ~VariableInputLockHolder();

 private:
  friend VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(
      OpKernelContext* ctx, bool do_lock, const std::vector<int>& input_ids);
  std::vector<core::RefCountPtr<Var>> vars_;
  std::vector<std::unique_ptr<mutex_lock>> locks_;
};

// Locks the variables of the inputs, each once and in an order that does not
// depend on that of the inputs, so that two kernels never wait for each other;
// locks nothing unless `do_lock`.  Resources are locked during a dense update
// even without `do_lock`.
VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(
    OpKernelContext* ctx, bool do_lock, const std::vector<int>& input_ids);
template <typename Device, typename T>
VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(
    OpKernelContext* ctx, bool do_lock, bool /*sparse*/,
    const std::vector<int>& input_ids) {
  return MaybeLockVariableInputMutexesInOrder(ctx, do_lock, input_ids);
}

// Forwards a reference to the output; the op of a resource has no output.
void MaybeForwardRefInputToRefOutput(OpKernelContext* ctx, int input,
                                     int output);

// The variable's tensor, to be written; for a resource, it is first copied if
// somebody else reads the buffer.
Status GetInputTensorFromVariable(OpKernelContext* ctx, int input,
                                  bool lock_held, bool sparse, Tensor* out);
inline Status GetInputTensorFromVariable(OpKernelContext* ctx, int input,
                                         bool lock_held, Tensor* out) {
  return GetInputTensorFromVariable(ctx, input, lock_held, false, out);
}
template <typename Device, typename T>
Status GetInputTensorFromVariable(OpKernelContext* ctx, int input,
                                  bool lock_held, bool sparse, Tensor* out) {
  return GetInputTensorFromVariable(ctx, input, lock_held, sparse, out);
}

// Gives `tensor` a buffer of its own unless it has one; the caller holds
// var->mu().
Status PrepareToUpdateVariable(OpKernelContext* ctx, Tensor* tensor);
template <typename Device, typename T>
Status PrepareToUpdateVariable(OpKernelContext* ctx, Tensor* tensor,
                               bool /*copy_on_read*/ = false) {
  return PrepareToUpdateVariable(ctx, tensor);
}
template <typename Device, typename T>
Status EnsureSparseVariableAccess(OpKernelContext* ctx, Var* var) {
  mutex_lock l(*var->mu());
  return PrepareToUpdateVariable(ctx, var->tensor());
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_TRAINING_OP_HELPERS_H_
