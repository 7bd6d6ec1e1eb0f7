// SPDX-License-Identifier: Apache-2.0
// Tensors that a session keeps between runs.
//
// GetSessionHandle puts a tensor here as pending; if its handle is fetched, the
// session keeps it, and GetSessionTensor finds it by that handle until
// DeleteSessionTensor or the end of the session.  Tensors whose handles were
// not fetched are dropped with their step.
#ifndef TENSORWRIGHT_CORE_UTIL_SESSION_STATE_H_
#define TENSORWRIGHT_CORE_UTIL_SESSION_STATE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_handle.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"

namespace tensorwright {

// A session has one, in the resource managers of all its devices.  Thread-safe.
class SessionState final : public ResourceBase {
 public:
  // The container of a ResourceHandle that names a kept tensor.
  static constexpr char kTensorHandleResourceTypeName[] = "TensorHandle";

  // For the session: puts the state where its kernels find it.  The manager
  // takes a reference.
  Status Install(ResourceMgr* manager);
  // For kernels.  FailedPrecondition for a kernel that runs outside of a
  // session.
  static Status Find(OpKernelContext* ctx,
                     core::RefCountPtr<SessionState>* state);

  // "node;number;device", which no other tensor of this session has.
  std::string NewHandle(const std::string& node, const std::string& device);
  static ResourceHandle AsResource(const std::string& handle,
                                   const std::string& device);

  // Adds the value of node `node`, for the step that `ctx` runs in.
  Status AddPending(OpKernelContext* ctx, const std::string& node,
                    const std::string& handle, const Tensor& tensor);
  // Keeps the tensors that `nodes` have made in a step, or will make before it
  // ends.
  void Keep(int64_t step_id, const std::vector<std::string>& nodes);
  // Tells that the step is over.
  void Drop(int64_t step_id);
  // Is there a step with pending tensors?  Cheap, since every run asks.
  bool has_pending() const {
    return num_pending_.load(std::memory_order_acquire) > 0;
  }

  // InvalidArgument for a handle that is not known.
  Status GetTensor(const std::string& handle, Tensor* tensor) const;
  Status DeleteTensor(const std::string& handle);

  std::string DebugString() const override;

 private:
  struct Pending {
    std::string handle;
    Tensor tensor;
  };
  // The tensors that a step has made, by node, and those that it must keep.
  struct StepTensors {
    absl::flat_hash_map<std::string, Pending> made;
    absl::flat_hash_set<std::string> wanted;
  };

  mutable mutex mu_;
  std::atomic<int64_t> next_id_{0};
  std::atomic<int64_t> num_pending_{0};
  absl::flat_hash_map<int64_t, StepTensors> steps_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, Tensor> tensors_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SESSION_STATE_H_
