// SPDX-License-Identifier: Apache-2.0
// RepeatDataset: a dataset several times over.

#include <memory>
#include <string>
#include <utility>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class RepeatDataset final : public UnaryDataset {
 public:
  RepeatDataset(DatasetPtr input, int64_t count)
      : UnaryDataset(std::move(input)), count_(count) {}

  std::string Name() const override { return "Repeat"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (count_ == 0 || n == 0) return 0;
    if (count_ < 0) return n == kUnknown ? kUnknown : kInfinite;
    int64_t product = 0;
    if (n < 0 || __builtin_mul_overflow(n, count_, &product)) {
      return n < 0 ? n : kUnknown;
    }
    return product;
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<RepeatDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      for (;;) {
        if (input_ == nullptr) {
          if (dataset().count_ >= 0 && passes_ >= dataset().count_) {
            return false;
          }
          if (ctx->cancellation != nullptr &&
              ctx->cancellation->IsCancelled()) {
            return errors::Cancelled("RepeatDataset: was cancelled");
          }
          TF_ASSIGN_OR_RETURN(input_, dataset().input().MakeIterator(ctx));
          is_first_ = true;
        }
        TF_ASSIGN_OR_RETURN(const bool more, input_->GetNext(ctx, out));
        if (more) {
          is_first_ = false;
          return true;
        }
        input_ = nullptr;
        ++passes_;
        // Without this, an empty input would be repeated for ever.
        if (is_first_ && dataset().count_ < 0) {
          passes_ = 0;
          empty_ = true;
        }
        if (empty_) return false;
      }
    }

   private:
    std::unique_ptr<IteratorBase> input_;
    int64_t passes_ = 0;
    bool is_first_ = true;
    bool empty_ = false;
  };

  const int64_t count_;
};

REGISTER_KERNEL_BUILDER(Name("RepeatDataset").Device(DEVICE_CPU),
                        CountedDatasetOp<RepeatDataset>);

}  // namespace
}  // namespace tensorwright
