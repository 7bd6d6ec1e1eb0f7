// SPDX-License-Identifier: Apache-2.0
// The ops on queues of any kind: Enqueue, Dequeue, Close, Size, IsClosed and
// FakeQueue, for handles of both kinds.

#include <string>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/queue_interface.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/data_flow/batch_rows.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"

namespace tensorwright {
namespace {

using QueuePtr = core::RefCountPtr<QueueInterface>;

// The queue that input 0 names.
Status FindQueue(OpKernelContext* ctx, QueuePtr* queue) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(ctx, 0, &handle));
  return LookupResource(ctx, handle, queue);
}

DataType HandleType(OpKernelContext* ctx) {
  return ctx->input_dtype(0) == DT_RESOURCE ? DT_RESOURCE : DT_STRING_REF;
}

// ---- Enqueue, EnqueueMany, Close --------------------------------------------

// Ops that may wait: subclasses start the work, and tell by `done` when it is
// over; `done` keeps the queue until then.
class WaitingQueueOp : public AsyncOpKernel {
 public:
  explicit WaitingQueueOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    int64_t timeout_ms = -1;
    if (HasNodeAttr(def(), "timeout_ms")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("timeout_ms", &timeout_ms));
    }
    OP_REQUIRES(ctx, timeout_ms == -1,
                errors::InvalidArgument(
                    type_string(), ": Timeout not supported yet; timeout_ms ",
                    "must be -1, got ", timeout_ms));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) final {
    QueuePtr queue;
    const Status found = FindQueue(ctx, &queue);
    OP_REQUIRES_OK_ASYNC(ctx, found, done);
    QueueInterface* const q = queue.get();
    Use(q, ctx, [queue = std::move(queue), done = std::move(done)] { done(); });
  }

 private:
  virtual void Use(QueueInterface* queue, OpKernelContext* ctx,
                   DoneCallback done) = 0;
};

class EnqueueOp : public WaitingQueueOp {
 public:
  using WaitingQueueOp::WaitingQueueOp;

 private:
  void Use(QueueInterface* queue, OpKernelContext* ctx,
           DoneCallback done) override {
    DataTypeVector expected = {HandleType(ctx)};
    for (const DataType t : queue->component_dtypes()) expected.push_back(t);
    OP_REQUIRES_OK_ASYNC(ctx, ctx->MatchSignature(expected, {}), done);
    QueueInterface::Tuple element(ctx->num_inputs() - 1);
    for (size_t i = 0; i < element.size(); ++i) {
      OP_REQUIRES_OK_ASYNC(
          ctx, Component(ctx->input(static_cast<int>(i) + 1), &element[i]),
          done);
    }
    Put(queue, element, ctx, std::move(done));
  }
  virtual Status Component(const Tensor& input, Tensor* component) const {
    return OwnTensor(input, component);
  }
  virtual void Put(QueueInterface* queue, const QueueInterface::Tuple& element,
                   OpKernelContext* ctx, DoneCallback done) {
    OP_REQUIRES_OK_ASYNC(ctx, queue->ValidateTuple(element), done);
    queue->TryEnqueue(element, ctx, std::move(done));
  }
};
REGISTER_KERNEL_BUILDER(Name("QueueEnqueue").Device(DEVICE_CPU), EnqueueOp);
REGISTER_KERNEL_BUILDER(Name("QueueEnqueueV2").Device(DEVICE_CPU), EnqueueOp);

class EnqueueManyOp final : public EnqueueOp {
 public:
  using EnqueueOp::EnqueueOp;

 private:
  // Rows are copied as they go in.
  Status Component(const Tensor& input, Tensor* component) const override {
    *component = input;
    return OkStatus();
  }
  void Put(QueueInterface* queue, const QueueInterface::Tuple& batch,
           OpKernelContext* ctx, DoneCallback done) override {
    OP_REQUIRES_OK_ASYNC(ctx, queue->ValidateManyTuple(batch), done);
    queue->TryEnqueueMany(batch, ctx, std::move(done));
  }
};
REGISTER_KERNEL_BUILDER(Name("QueueEnqueueMany").Device(DEVICE_CPU),
                        EnqueueManyOp);
REGISTER_KERNEL_BUILDER(Name("QueueEnqueueManyV2").Device(DEVICE_CPU),
                        EnqueueManyOp);

class QueueCloseOp final : public WaitingQueueOp {
 public:
  explicit QueueCloseOp(OpKernelConstruction* ctx) : WaitingQueueOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("cancel_pending_enqueues", &cancel_));
  }

 private:
  void Use(QueueInterface* queue, OpKernelContext* ctx,
           DoneCallback done) override {
    queue->Close(ctx, cancel_, std::move(done));
  }

  bool cancel_ = false;
};
REGISTER_KERNEL_BUILDER(Name("QueueClose").Device(DEVICE_CPU), QueueCloseOp);
REGISTER_KERNEL_BUILDER(Name("QueueCloseV2").Device(DEVICE_CPU), QueueCloseOp);

// ---- Dequeue, DequeueMany, DequeueUpTo --------------------------------------

class DequeueOp : public WaitingQueueOp {
 public:
  using WaitingQueueOp::WaitingQueueOp;

 private:
  void Use(QueueInterface* queue, OpKernelContext* ctx,
           DoneCallback done) override {
    DataTypeVector expected = {HandleType(ctx)};
    if (ctx->num_inputs() > 1) expected.push_back(DT_INT32);
    OP_REQUIRES_OK_ASYNC(
        ctx, ctx->MatchSignature(expected, queue->component_dtypes()), done);
    Take(queue, ctx,
         [ctx, done = std::move(done)](const QueueInterface::Tuple& tuple) {
           if (ctx->status().ok()) {
             for (size_t i = 0; i < tuple.size(); ++i) {
               ctx->set_output(static_cast<int>(i), tuple[i]);
             }
           }
           done();
         });
  }
  virtual void Take(QueueInterface* queue, OpKernelContext* ctx,
                    QueueInterface::CallbackWithTuple give) {
    queue->TryDequeue(ctx, std::move(give));
  }
};
REGISTER_KERNEL_BUILDER(Name("QueueDequeue").Device(DEVICE_CPU), DequeueOp);
REGISTER_KERNEL_BUILDER(Name("QueueDequeueV2").Device(DEVICE_CPU), DequeueOp);

template <bool allow_small_batch>
class DequeueBatchOp final : public DequeueOp {
 public:
  using DequeueOp::DequeueOp;

 private:
  void Take(QueueInterface* queue, OpKernelContext* ctx,
            QueueInterface::CallbackWithTuple give) override {
    const Tensor& n = ctx->input(1);
    if (n.NumElements() != 1 || *n.base<int32_t>() < 0) {
      ctx->SetStatus(errors::InvalidArgument(
          type_string(), ": n must be a scalar >= 0, got ",
          n.shape().DebugString(), " ", n.SummarizeValue(3)));
      return give({});
    }
    queue->TryDequeueMany(*n.base<int32_t>(), ctx, allow_small_batch,
                          std::move(give));
  }
};
using DequeueManyOp = DequeueBatchOp</*allow_small_batch=*/false>;
using DequeueUpToOp = DequeueBatchOp</*allow_small_batch=*/true>;
REGISTER_KERNEL_BUILDER(Name("QueueDequeueMany").Device(DEVICE_CPU),
                        DequeueManyOp);
REGISTER_KERNEL_BUILDER(Name("QueueDequeueManyV2").Device(DEVICE_CPU),
                        DequeueManyOp);
REGISTER_KERNEL_BUILDER(Name("QueueDequeueUpTo").Device(DEVICE_CPU),
                        DequeueUpToOp);
REGISTER_KERNEL_BUILDER(Name("QueueDequeueUpToV2").Device(DEVICE_CPU),
                        DequeueUpToOp);

// ---- Questions --------------------------------------------------------------

class QueueSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    QueuePtr queue;
    OP_REQUIRES_OK(ctx, FindQueue(ctx, &queue));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    *size->base<int32_t>() = queue->size();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("QueueSize").Device(DEVICE_CPU), QueueSizeOp);
REGISTER_KERNEL_BUILDER(Name("QueueSizeV2").Device(DEVICE_CPU), QueueSizeOp);

class QueueIsClosedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    QueuePtr queue;
    OP_REQUIRES_OK(ctx, FindQueue(ctx, &queue));
    Tensor* closed = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &closed));
    *closed->base<bool>() = queue->is_closed();
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("QueueIsClosed").Device(DEVICE_CPU),
                        QueueIsClosedOp);
REGISTER_KERNEL_BUILDER(Name("QueueIsClosedV2").Device(DEVICE_CPU),
                        QueueIsClosedOp);

// Gives the handle of a queue as ops of the first version take it.
class FakeQueueOp final : public OpKernel {
 public:
  explicit FakeQueueOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_temp(DT_STRING, TensorShape({2}), &handle_));
  }
  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    mutex_lock lock(mu_);
    std::string* const names = handle_.base<std::string>();
    // Others read the names without the lock.
    if (names[0] != handle.container()) names[0] = handle.container();
    if (names[1] != handle.name()) names[1] = handle.name();
    ctx->set_output_ref(0, &mu_, &handle_);
  }
  bool IsExpensive() override { return false; }

 private:
  mutex mu_;
  Tensor handle_;
};
REGISTER_KERNEL_BUILDER(Name("FakeQueue").Device(DEVICE_CPU), FakeQueueOp);

}  // namespace
}  // namespace tensorwright
