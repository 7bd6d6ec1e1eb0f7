// SPDX-License-Identifier: Apache-2.0
// QueueOp: the kernel of an op that makes a queue.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_OP_H_

#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_op_kernel.h"
#include "core/kernels/data_flow/queue_base.h"

namespace tensorwright {

// Queue is a QueueBase with
//   static StatusOr<Queue*> New(const NodeDef& node, QueueOptions options);
// which checks the options of its kind.  The output is a resource handle, or a
// reference to container and name.  A node that names an existing queue must
// ask for the same options: InvalidArgument otherwise.
template <typename Queue>
class QueueOp final : public ResourceOpKernel<QueueInterface> {
 public:
  explicit QueueOp(OpKernelConstruction* ctx) : ResourceOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, QueueOptions::FromNode(def(), &options_));
  }
  bool IsExpensive() override { return false; }

 private:
  Status CreateResource(QueueInterface** queue) override
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    QueueOptions options = options_;
    options.name = cinfo_.name();
    TF_ASSIGN_OR_RETURN(*queue, Queue::New(def(), std::move(options)));
    return OkStatus();
  }

  Status VerifyResource(QueueInterface* queue) override {
    return queue->MatchesNodeDef(def());
  }

  QueueOptions options_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_OP_H_
