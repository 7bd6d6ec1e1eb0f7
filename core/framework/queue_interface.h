// SPDX-License-Identifier: Apache-2.0
// QueueInterface: the operations of a queue in the ResourceMgr, for the ops
// that use it.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_QUEUE_INTERFACE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_QUEUE_INTERFACE_H_

#include <functional>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Thread-safe.  An element is a tuple of tensors of component_dtypes(); an
// operation that cannot be done at once calls back when it is done, or with its
// error in `ctx`.
class QueueInterface : public ResourceBase {
 public:
  using Tuple = std::vector<Tensor>;
  using DoneCallback = AsyncOpKernel::DoneCallback;
  using CallbackWithTuple = std::function<void(const Tuple&)>;

  virtual Status ValidateTuple(const Tuple& tuple) = 0;
  virtual Status ValidateManyTuple(const Tuple& tuple) = 0;

  virtual void TryEnqueue(const Tuple& tuple, OpKernelContext* ctx,
                          DoneCallback callback) = 0;
  // A batch of elements: each tensor has their number as its first dimension.
  virtual void TryEnqueueMany(const Tuple& tuple, OpKernelContext* ctx,
                              DoneCallback callback) = 0;
  virtual void TryDequeue(OpKernelContext* ctx, CallbackWithTuple callback) = 0;
  // Gives fewer than num_elements only if `allow_small_batch` and the queue is
  // closed.
  virtual void TryDequeueMany(int num_elements, OpKernelContext* ctx,
                              bool allow_small_batch,
                              CallbackWithTuple callback) = 0;

  // Allows no more elements; calls that wait for them fail with OutOfRange.
  virtual void Close(OpKernelContext* ctx, bool cancel_pending_enqueues,
                     DoneCallback callback) = 0;
  virtual bool is_closed() const = 0;

  // OK if a node asks for this kind of queue.
  virtual Status MatchesNodeDef(const NodeDef& node_def) = 0;
  virtual int32_t size() const = 0;
  virtual const DataTypeVector& component_dtypes() const = 0;

  std::string DebugString() override { return "a queue"; }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_QUEUE_INTERFACE_H_
