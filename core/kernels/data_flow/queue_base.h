// SPDX-License-Identifier: Apache-2.0
// QueueBase: the part that all queues share: an op that cannot put or take an
// element at once waits in line, until there is room or an element, the queue
// is closed, or its run is cancelled.
//
// Waiting ops hold no threads.  Each side has one line, first come first
// served: a large DequeueMany at its head takes elements as they come, so it
// may ask for more than the capacity.  A thread that changes the queue finishes
// the ops that can go on, after it has released the lock.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_BASE_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_BASE_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/framework/op_kernel.h"
#include "core/framework/queue_interface.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"

namespace tensorwright {

// The options of a queue that a node asks for.
struct QueueOptions {
  std::string kind;  // "FIFOQueue": the op's name without V2.
  std::string name;
  int32_t capacity = 0;  // kUnbounded if there is no limit.
  DataTypeVector component_dtypes;
  std::vector<PartialTensorShape> component_shapes;  // Empty: any shapes.

  static constexpr int32_t kUnbounded = std::numeric_limits<int32_t>::max();

  // Reads the attrs.  Leaves `name` alone.
  static Status FromNode(const NodeDef& node, QueueOptions* options);
  // InvalidArgument if a shape is known in part only.
  Status CheckShapesAreKnown() const;
};

// Subclasses decide how elements are kept, and how a batch is made of several.
// Thread-safe.
//
// Failures, in the status of the waiting kernel's context: Cancelled if its run
// was, or if it puts something into a closed queue; OutOfRange if it wants more
// than a closed queue has.  Elements that a DequeueMany had taken when it
// failed go back to the front.
class QueueBase : public QueueInterface {
 public:
  Status ValidateTuple(const Tuple& tuple) override;
  // Each tensor has one more dimension, in front, of the same size.
  Status ValidateManyTuple(const Tuple& tuple) override;

  // Keeps the tensors as they are: nobody may write to them afterwards.
  void TryEnqueue(const Tuple& tuple, OpKernelContext* ctx,
                  DoneCallback callback) override;
  // Rows are copied.
  void TryEnqueueMany(const Tuple& tuple, OpKernelContext* ctx,
                      DoneCallback callback) override;
  void TryDequeue(OpKernelContext* ctx, CallbackWithTuple callback) override;
  void TryDequeueMany(int num_elements, OpKernelContext* ctx,
                      bool allow_small_batch,
                      CallbackWithTuple callback) override;
  // Without `cancel_pending_enqueues` it waits in the line of ops that put
  // something in.  Cancelled if the queue is closed already.
  void Close(OpKernelContext* ctx, bool cancel_pending_enqueues,
             DoneCallback callback) override;

  bool is_closed() const override;
  int32_t size() const override;
  const DataTypeVector& component_dtypes() const override {
    return options_.component_dtypes;
  }
  // InvalidArgument, with both values, if kind, capacity, dtypes or shapes
  // differ.
  Status MatchesNodeDef(const NodeDef& node_def) override;
  std::string DebugString() override;

 protected:
  explicit QueueBase(QueueOptions options) : options_(std::move(options)) {}

  // ---- Elements, under the lock.

  virtual void Push(Tuple element) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) = 0;
  // There is at least one.
  virtual Tuple Pop() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) = 0;
  // Puts back elements that were popped, in that order, and not given out.
  virtual void PutBack(std::vector<Tuple> elements)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) = 0;
  virtual int64_t Stored() const TF_SHARED_LOCKS_REQUIRED(mu_) = 0;
  // The number of elements that may be popped now.
  virtual int64_t Ready() const TF_SHARED_LOCKS_REQUIRED(mu_) {
    return Stored();
  }

  // ---- Without the lock.

  // May DequeueMany be used?  InvalidArgument if not.
  virtual Status CheckBatches() const;
  // Can a tensor be component `i`?
  bool Fits(int i, const TensorShape& shape) const;
  // Makes the batch of component `i` of elements, of which there may be none.
  virtual Status Batch(int i, const std::vector<Tuple>& elements,
                       Tensor* batch) const;

  const QueueOptions options_;
  mutable mutex mu_;
  bool closed_ TF_GUARDED_BY(mu_) = false;

 private:
  // An op in line.
  struct Waiter {
    int64_t id = 0;
    OpKernelContext* ctx = nullptr;
    CancellationToken token = CancellationManager::kInvalidToken;

    // For an op that puts elements in: one, or the rows of a batch from `next`
    // on; or that closes the queue when the ops before it are done.
    Tuple tuple;
    bool many = false;
    bool closes = false;
    int64_t next = 0;
    DoneCallback done;

    // For an op that takes elements out.
    int64_t wanted = 0;
    bool allow_small_batch = false;
    std::vector<Tuple> taken;
    CallbackWithTuple give;
  };
  using Line = std::deque<Waiter>;

  // Puts `waiter` at the end of `line`, advances, and lets it wait if it must.
  void Join(Line* line, Waiter waiter);
  // Finishes all ops that can go on.
  void Advance(std::vector<Waiter>* ended) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool AdvanceEnqueues(std::vector<Waiter>* ended)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool AdvanceDequeues(std::vector<Waiter>* ended)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Has the op ended?  Sets *progress if anything has changed.
  bool PutElements(Waiter* waiter, bool* progress)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool TakeElements(Waiter* waiter, bool* progress)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Takes the waiter out of line, as cancelled; false if it is not in line.
  bool Remove(Line* line, int64_t id, std::vector<Waiter>* ended)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Cancel(int64_t id);
  // Calls them back.
  void Finish(std::vector<Waiter> ended);
  void Give(Waiter* waiter);

  int64_t next_id_ TF_GUARDED_BY(mu_) = 0;
  Line enqueues_ TF_GUARDED_BY(mu_);
  Line dequeues_ TF_GUARDED_BY(mu_);
};

// Elements in the order in which they came.
class FIFOQueue : public QueueBase {
 public:
  explicit FIFOQueue(QueueOptions options) : QueueBase(std::move(options)) {}

 protected:
  void Push(Tuple element) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Tuple Pop() override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void PutBack(std::vector<Tuple> elements) override
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  int64_t Stored() const override TF_SHARED_LOCKS_REQUIRED(mu_) {
    return static_cast<int64_t>(elements_.size());
  }

 private:
  std::deque<Tuple> elements_ TF_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_BASE_H_
