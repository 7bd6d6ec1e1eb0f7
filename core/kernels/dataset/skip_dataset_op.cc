// SPDX-License-Identifier: Apache-2.0
// SkipDataset: a dataset without its first elements.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class SkipDataset final : public UnaryDataset {
 public:
  SkipDataset(DatasetPtr input, int64_t count)
      : UnaryDataset(std::move(input)), count_(count) {}

  std::string Name() const override { return "Skip"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (count_ < 0) return 0;
    return n < 0 ? n : std::max<int64_t>(0, n - count_);
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    if (count_ >= 0) {
      TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    }
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<SkipDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      for (; skipped < dataset().count_; ++skipped) {
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("SkipDataset: was cancelled");
        }
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
        if (more) continue;
        input = nullptr;
        return false;
      }
      const StatusOr<bool> more = input->GetNext(ctx, out);
      if (more.ok() && !*more) input = nullptr;
      return more;
    }

    std::unique_ptr<IteratorBase> input;
    int64_t skipped = 0;
  };

  const int64_t count_;
};

REGISTER_KERNEL_BUILDER(Name("SkipDataset").Device(DEVICE_CPU),
                        CountedDatasetOp<SkipDataset>);

}  // namespace
}  // namespace tensorwright
