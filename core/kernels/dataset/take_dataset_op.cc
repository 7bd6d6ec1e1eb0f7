// SPDX-License-Identifier: Apache-2.0
// TakeDataset: the first elements of a dataset.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class TakeDataset final : public UnaryDataset {
 public:
  TakeDataset(DatasetPtr input, int64_t count)
      : UnaryDataset(std::move(input)), count_(count) {}

  std::string Name() const override { return "Take"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n == kUnknown || count_ < 0) return n;
    return n == kInfinite ? count_ : std::min(n, count_);
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    if (count_ != 0) {
      TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    }
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<TakeDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      // An element that fails counts.
      ++taken;
      const StatusOr<bool> more = input->GetNext(ctx, out);
      if ((more.ok() && !*more) || taken == dataset().count_) input = nullptr;
      return more;
    }

    std::unique_ptr<IteratorBase> input;
    int64_t taken = 0;
  };

  const int64_t count_;
};

REGISTER_KERNEL_BUILDER(Name("TakeDataset").Device(DEVICE_CPU),
                        CountedDatasetOp<TakeDataset>);

}  // namespace
}  // namespace tensorwright
