// SPDX-License-Identifier: Apache-2.0
// PriorityQueue: the element with the smallest priority, an int64 scalar that
// is its first component; among equal ones, the one that came first.

#include <queue>
#include <utility>
#include <vector>

#include "core/kernels/data_flow/queue_op.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class PriorityQueue final : public QueueBase {
 public:
  static StatusOr<PriorityQueue*> New(const NodeDef& /*node*/,
                                      QueueOptions options) {
    TF_RETURN_IF_ERROR(options.CheckShapesAreKnown());
    return new PriorityQueue(std::move(options));
  }

  // If no shapes are given, the priority must still be a scalar.
  Status ValidateTuple(const Tuple& tuple) override {
    TF_RETURN_IF_ERROR(QueueBase::ValidateTuple(tuple));
    return CheckPriority(tuple[0].dims(), tuple[0].shape());
  }
  Status ValidateManyTuple(const Tuple& tuple) override {
    TF_RETURN_IF_ERROR(QueueBase::ValidateManyTuple(tuple));
    return CheckPriority(tuple[0].dims() - 1, tuple[0].shape());
  }

 protected:
  void Push(Tuple element) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const int64_t priority = *element[0].base<int64_t>();
    elements_.push({priority, arrivals_++, std::move(element)});
  }

  Tuple Pop() override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    // The queue shows its top only as a constant.
    Tuple element = std::move(const_cast<Element&>(elements_.top()).tuple);
    elements_.pop();
    return element;
  }

  // Puts them in front of those of the same priority that are still there.
  void PutBack(std::vector<Tuple> elements) override
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (auto it = elements.rbegin(); it != elements.rend(); ++it) {
      const int64_t priority = *(*it)[0].base<int64_t>();
      elements_.push({priority, --returns_, std::move(*it)});
    }
  }

  int64_t Stored() const override TF_SHARED_LOCKS_REQUIRED(mu_) {
    return static_cast<int64_t>(elements_.size());
  }

 private:
  using QueueBase::QueueBase;

  static Status CheckPriority(int rank, const TensorShape& shape) {
    if (rank == 0) return OkStatus();
    return errors::InvalidArgument(
        "PriorityQueue: the priority of an element must be a scalar, got "
        "shape ",
        shape.DebugString());
  }

  struct Element {
    int64_t priority;
    int64_t order;
    Tuple tuple;
  };
  struct Later {
    bool operator()(const Element& a, const Element& b) const {
      return a.priority != b.priority ? a.priority > b.priority
                                      : a.order > b.order;
    }
  };

  int64_t arrivals_ TF_GUARDED_BY(mu_) = 0;
  int64_t returns_ TF_GUARDED_BY(mu_) = 0;
  std::priority_queue<Element, std::vector<Element>, Later> elements_
      TF_GUARDED_BY(mu_);
};

using PriorityQueueOp = QueueOp<PriorityQueue>;
REGISTER_KERNEL_BUILDER(Name("PriorityQueue").Device(DEVICE_CPU),
                        PriorityQueueOp);
REGISTER_KERNEL_BUILDER(Name("PriorityQueueV2").Device(DEVICE_CPU),
                        PriorityQueueOp);

}  // namespace
}  // namespace tensorwright
