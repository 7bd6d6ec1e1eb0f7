// SPDX-License-Identifier: Apache-2.0
// RandomShuffleQueue: gives any of its elements, each with the same chance.

#include <algorithm>
#include <utility>
#include <vector>

#include "core/framework/node_def_util.h"
#include "core/kernels/data_flow/queue_op.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random.h"
#include "core/lib/random/random_distributions.h"

namespace tensorwright {
namespace {

struct ShuffleOptions {
  static Status FromNode(const NodeDef& node, ShuffleOptions* options) {
    TF_RETURN_IF_ERROR(
        GetNodeAttr(node, "min_after_dequeue", &options->min_after_dequeue));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "seed", &options->seed));
    return GetNodeAttr(node, "seed2", &options->seed2);
  }

  int32_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
};

class RandomShuffleQueue final : public QueueBase {
 public:
  static StatusOr<RandomShuffleQueue*> New(const NodeDef& node,
                                           QueueOptions options) {
    TF_RETURN_IF_ERROR(options.CheckShapesAreKnown());
    ShuffleOptions shuffle;
    TF_RETURN_IF_ERROR(ShuffleOptions::FromNode(node, &shuffle));
    if (shuffle.min_after_dequeue < 0) {
      return errors::InvalidArgument("RandomShuffleQueue: min_after_dequeue ",
                                     shuffle.min_after_dequeue,
                                     " must be >= 0");
    }
    if (shuffle.min_after_dequeue >= options.capacity) {
      return errors::InvalidArgument("RandomShuffleQueue: min_after_dequeue ",
                                     shuffle.min_after_dequeue,
                                     " must be < capacity ", options.capacity);
    }
    return new RandomShuffleQueue(std::move(options), shuffle);
  }

  Status MatchesNodeDef(const NodeDef& node_def) override {
    TF_RETURN_IF_ERROR(QueueBase::MatchesNodeDef(node_def));
    ShuffleOptions asked;
    TF_RETURN_IF_ERROR(ShuffleOptions::FromNode(node_def, &asked));
    if (asked.min_after_dequeue != shuffle_.min_after_dequeue) {
      return errors::InvalidArgument(
          "Shared queue '", options_.name, "' has min_after_dequeue ",
          shuffle_.min_after_dequeue, " but requested min_after_dequeue was ",
          asked.min_after_dequeue, ".");
    }
    // A queue that asks for no seed accepts any seed.
    if ((asked.seed != 0 || asked.seed2 != 0) &&
        (asked.seed != shuffle_.seed || asked.seed2 != shuffle_.seed2)) {
      return errors::InvalidArgument(
          "Shared queue '", options_.name, "' has random seeds (",
          shuffle_.seed, ", ", shuffle_.seed2, ") but requested seeds are (",
          asked.seed, ", ", asked.seed2, ").");
    }
    return OkStatus();
  }

 protected:
  void Push(Tuple element) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    elements_.push_back(std::move(element));
  }

  Tuple Pop() override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const size_t index = next_() % elements_.size();
    Tuple element = std::move(elements_[index]);
    if (index + 1 < elements_.size()) {
      elements_[index] = std::move(elements_.back());
    }
    elements_.pop_back();
    return element;
  }

  void PutBack(std::vector<Tuple> elements) override
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (Tuple& element : elements) elements_.push_back(std::move(element));
  }

  int64_t Stored() const override TF_SHARED_LOCKS_REQUIRED(mu_) {
    return static_cast<int64_t>(elements_.size());
  }

  int64_t Ready() const override TF_SHARED_LOCKS_REQUIRED(mu_) {
    const int64_t kept = closed_ ? 0 : shuffle_.min_after_dequeue;
    return std::max<int64_t>(Stored() - kept, 0);
  }

 private:
  RandomShuffleQueue(QueueOptions options, const ShuffleOptions& shuffle)
      : QueueBase(std::move(options)),
        shuffle_(Seeded(shuffle)),
        generator_(static_cast<uint64_t>(shuffle_.seed),
                   static_cast<uint64_t>(shuffle_.seed2)),
        next_(&generator_) {}

  // Without seeds, the order differs in every process.
  static ShuffleOptions Seeded(ShuffleOptions shuffle) {
    if (shuffle.seed == 0 && shuffle.seed2 == 0) {
      shuffle.seed = static_cast<int64_t>(random::New64());
      shuffle.seed2 = static_cast<int64_t>(random::New64());
    }
    return shuffle;
  }

  const ShuffleOptions shuffle_;
  random::PhiloxRandom generator_ TF_GUARDED_BY(mu_);
  random::SingleSampleAdapter<random::PhiloxRandom> next_ TF_GUARDED_BY(mu_);
  std::vector<Tuple> elements_ TF_GUARDED_BY(mu_);
};

using RandomShuffleQueueOp = QueueOp<RandomShuffleQueue>;
REGISTER_KERNEL_BUILDER(Name("RandomShuffleQueue").Device(DEVICE_CPU),
                        RandomShuffleQueueOp);
REGISTER_KERNEL_BUILDER(Name("RandomShuffleQueueV2").Device(DEVICE_CPU),
                        RandomShuffleQueueOp);

}  // namespace
}  // namespace tensorwright
