// SPDX-License-Identifier: Apache-2.0
// FIFOQueue: elements in the order in which they came.

#include <utility>

#include "core/kernels/data_flow/queue_op.h"

namespace tensorwright {
namespace {

class PlainFIFOQueue final : public FIFOQueue {
 public:
  static StatusOr<PlainFIFOQueue*> New(const NodeDef& /*node*/,
                                       QueueOptions options) {
    TF_RETURN_IF_ERROR(options.CheckShapesAreKnown());
    return new PlainFIFOQueue(std::move(options));
  }

 private:
  using FIFOQueue::FIFOQueue;
};

using FIFOQueueOp = QueueOp<PlainFIFOQueue>;
REGISTER_KERNEL_BUILDER(Name("FIFOQueue").Device(DEVICE_CPU), FIFOQueueOp);
REGISTER_KERNEL_BUILDER(Name("FIFOQueueV2").Device(DEVICE_CPU), FIFOQueueOp);

}  // namespace
}  // namespace tensorwright
