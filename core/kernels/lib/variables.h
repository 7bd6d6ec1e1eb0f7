// SPDX-License-Identifier: Apache-2.0
// Variables: the tensor behind a VariableV2 node, and the one behind a handle.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_VARIABLES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_VARIABLES_H_

#include <atomic>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/lib/core/refcount.h"
#include "core/platform/mutex.h"

namespace tensorwright {

// The ResourceMgr keeps it under (container, shared_name), so that it outlives
// runs and every node of that name shares it.  `mu` guards the Tensor object,
// and its elements for ops that lock.
class LegacyVar final : public ResourceBase {
 public:
  // Makes a variable that is not initialized.
  LegacyVar(DataType dtype, const TensorShape& shape)
      : tensor_(dtype, shape, /*buf=*/nullptr) {}

  mutex* mu() { return &mu_; }
  Tensor* tensor() { return &tensor_; }

  std::string DebugString() override {
    mutex_lock l(mu_);
    return tensor_.DebugString();
  }
  int64_t MemoryUsed() const override {
    mutex_lock l(mu_);
    return static_cast<int64_t>(tensor_.AllocatedBytes());
  }

 private:
  mutable mutex mu_;
  Tensor tensor_;
};

// The tensor behind a resource handle.  `mu` guards the Tensor object, and its
// elements while ops read or write them.  Not initialized before the first
// assignment.
class Var final : public ResourceBase {
 public:
  explicit Var(DataType dtype) : tensor_(dtype) {}

  mutex* mu() { return &mu_; }
  Tensor* tensor() { return &tensor_; }
  // Guarded by mu().
  bool is_initialized = false;
  // For custom ops' PrepareToUpdateVariable.  Nothing depends on it: an update
  // copies elements that a reader still has.
  std::atomic<bool> copy_on_read_mode{false};

  std::string DebugString() override {
    mutex_lock l(mu_);
    return tensor_.DebugString();
  }
  int64_t MemoryUsed() const override {
    mutex_lock l(mu_);
    return static_cast<int64_t>(tensor_.AllocatedBytes());
  }

 private:
  mutable mutex mu_;
  Tensor tensor_;
};

// to = from; both have one dtype and number of elements, and may be the same
// buffer.  Runs on the intra-op pool.
Status CopyElements(OpKernelContext* ctx, const Tensor& from, Tensor* to);

// The variable behind input `input`, a handle.  InvalidArgument for a handle of
// something else, FailedPrecondition if nothing was ever assigned.
Status FindVariable(OpKernelContext* ctx, int input,
                    core::RefCountPtr<Var>* var);

// Call it with var.mu() held.  FailedPrecondition without a value,
// InvalidArgument unless its dtype is `dtype`; DT_INVALID stands for any.
Status CheckVariable(OpKernelContext* ctx, int input, Var& var, DataType dtype);

// The value behind a handle while this lives, during which nobody writes it.
// Used by one thread.
class ReadableVariable {
 public:
  // Fails as FindVariable and CheckVariable do.
  Status Open(OpKernelContext* ctx, int input, DataType dtype);
  const Tensor& tensor() const { return *var_->tensor(); }
  ~ReadableVariable() {
    if (locked_) var_->mu()->unlock_shared();
  }
  ReadableVariable() = default;
  ReadableVariable(const ReadableVariable&) = delete;
  ReadableVariable& operator=(const ReadableVariable&) = delete;

 private:
  core::RefCountPtr<Var> var_;
  bool locked_ = false;
};

// Variables that a kernel changes in place while this lives: behind handles, or
// references.  Those behind handles are locked, and earlier readers keep the
// value that they read: the variable first gets a buffer of its own.
// References are locked if asked for.  Used by one thread.
class WritableVariables {
 public:
  // `inputs` are all handles or all references; one variable may be there
  // twice. For handles it fails as FindVariable and CheckVariable do;
  // references are not checked.
  Status Open(OpKernelContext* ctx, absl::Span<const int> inputs,
              DataType dtype, bool lock_references);
  // The variable of the i-th of `inputs`, whose elements may be written.
  Tensor& operator[](int i) { return tensors_[i]; }
  int size() const { return static_cast<int>(tensors_.size()); }

 private:
  void Lock(absl::InlinedVector<mutex*, 4> mutexes);

  // Declared first, so that it is destroyed last: the locks are in the
  // variables.
  absl::InlinedVector<core::RefCountPtr<Var>, 4> vars_;
  absl::InlinedVector<mutex_lock, 4> locks_;
  absl::InlinedVector<Tensor, 4> tensors_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_VARIABLES_H_
