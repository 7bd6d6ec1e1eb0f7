// SPDX-License-Identifier: Apache-2.0
// Variables: the tensor behind a VariableV2 node, and the one behind a handle.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_VARIABLES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_VARIABLES_H_

#include <atomic>
#include <string>

#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/platform/mutex.h"

namespace tensorwright {

// Kept by the ResourceMgr under (container, shared_name), so that it outlives
// runs and every node of that name shares it.  `mu` guards the Tensor object,
// and its elements for ops that lock.
class LegacyVar final : public ResourceBase {
 public:
  // Not initialized.
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

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_VARIABLES_H_
