// SPDX-License-Identifier: Apache-2.0
// PrefetchDataset: elements made ahead, in a thread of the iterator's own.

#include <memory>
#include <string>
#include <utility>

#include "core/kernels/dataset/background_iterator.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

constexpr int64_t kAutotune = -1;
// The number of elements made ahead at first if that is left to us, and the
// fixed number if buffers may not grow.
constexpr int64_t kAutotunedSize = 8;

class PrefetchDataset final : public UnaryDataset {
 public:
  PrefetchDataset(DatasetPtr input, int64_t buffer_size)
      : UnaryDataset(std::move(input)),
        tuned_(buffer_size == kAutotune),
        buffer_size_(tuned_ ? kAutotunedSize : buffer_size) {}

  std::string Name() const override { return "Prefetch"; }
  bool MayWait() const override { return true; }
  int64_t Cardinality() const override { return input().Cardinality(); }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(auto input_iterator, input().MakeIterator(ctx));
    if (buffer_size_ == 0) return input_iterator;
    return std::unique_ptr<IteratorBase>(
        new BackgroundIterator(*ctx, std::move(input_iterator), buffer_size_,
                               tuned_ && ctx->autotune));
  }

 private:
  const bool tuned_;
  const int64_t buffer_size_;
};

class PrefetchDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t buffer_size = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "buffer_size", &buffer_size));
    if (buffer_size < 0 && buffer_size != kAutotune) {
      return errors::InvalidArgument(
          "PrefetchDataset: buffer_size must be >= 0, or -1, got ",
          buffer_size);
    }
    return DatasetPtr(new PrefetchDataset(std::move(input), buffer_size));
  }
};
REGISTER_KERNEL_BUILDER(Name("PrefetchDataset").Device(DEVICE_CPU),
                        PrefetchDatasetOp);

}  // namespace
}  // namespace tensorwright
