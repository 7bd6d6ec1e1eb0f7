// SPDX-License-Identifier: Apache-2.0
// ShardDataset: every n-th element of a dataset.

#include <memory>
#include <string>
#include <utility>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class ShardDataset final : public UnaryDataset {
 public:
  ShardDataset(DatasetPtr input, int64_t shards, int64_t index, bool non_empty)
      : UnaryDataset(std::move(input)),
        shards_(shards),
        index_(index),
        non_empty_(non_empty) {}

  std::string Name() const override { return "Shard"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    return n < 0 ? n : n / shards_ + (index_ < n % shards_ ? 1 : 0);
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<ShardDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      for (;;) {
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("ShardDataset: was cancelled");
        }
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
        if (!more) {
          input = nullptr;
          if (dataset().non_empty_ && next < dataset().shards_) {
            return errors::InvalidArgument(
                "ShardDataset: require_non_empty is set, and the dataset has "
                "only ",
                next, " elements for ", dataset().shards_, " shards");
          }
          return false;
        }
        if (next++ % dataset().shards_ == dataset().index_) return true;
      }
    }

    std::unique_ptr<IteratorBase> input;
    int64_t next = 0;
  };

  const int64_t shards_;
  const int64_t index_;
  const bool non_empty_;
};

class ShardDatasetOp final : public DatasetOpKernel {
 public:
  explicit ShardDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("require_non_empty", &non_empty_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t shards = 0, index = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "num_shards", &shards));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "index", &index));
    if (shards <= 0) {
      return errors::InvalidArgument(
          "ShardDataset: num_shards must be greater than zero, got ", shards);
    }
    if (index < 0 || index >= shards) {
      return errors::InvalidArgument("ShardDataset: index must be in [0, ",
                                     shards, "), got ", index);
    }
    return DatasetPtr(
        new ShardDataset(std::move(input), shards, index, non_empty_));
  }

 private:
  bool non_empty_ = false;
};
REGISTER_KERNEL_BUILDER(Name("ShardDataset").Device(DEVICE_CPU),
                        ShardDatasetOp);

}  // namespace
}  // namespace tensorwright
