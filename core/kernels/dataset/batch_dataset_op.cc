// SPDX-License-Identifier: Apache-2.0
// BatchDataset: several elements as one.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/determinism.h"
#include "core/kernels/dataset/rows.h"

namespace tensorwright {
namespace {

std::vector<PartialTensorShape> BatchShapes(const DatasetBase& input,
                                            int64_t rows) {
  std::vector<PartialTensorShape> shapes;
  for (const PartialTensorShape& shape : input.output_shapes()) {
    shapes.push_back(PartialTensorShape({rows}).Concatenate(shape));
  }
  return shapes;
}

class BatchDataset final : public UnaryDataset {
 public:
  BatchDataset(DatasetPtr input, int64_t batch_size, bool drop_remainder)
      : UnaryDataset(input, input->output_dtypes(),
                     BatchShapes(*input, drop_remainder ? batch_size : -1)),
        batch_size_(batch_size),
        drop_remainder_(drop_remainder) {}

  std::string Name() const override { return "Batch"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return n / batch_size_ + (n % batch_size_ > 0 && !drop_remainder_ ? 1 : 0);
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<BatchDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      BatchBuilder batch(dataset().batch_size_);
      while (batch.size() < dataset().batch_size_) {
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &element));
        if (!more) {
          input = nullptr;
          break;
        }
        TF_RETURN_IF_ERROR(dataset().AtOrigin(batch.Add(element)));
      }
      if (batch.size() == 0 ||
          (dataset().drop_remainder_ && batch.size() < dataset().batch_size_)) {
        return false;
      }
      *out = batch.Finish();
      return true;
    }

    std::unique_ptr<IteratorBase> input;
    Element element;
  };

  const int64_t batch_size_;
  const bool drop_remainder_;
};

class BatchDatasetOp final : public DatasetOpKernel {
 public:
  explicit BatchDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    is_parallel_ = type_string() == "ParallelBatchDataset";
    if (is_parallel_) OP_REQUIRES_OK(ctx, CheckDeterministic(ctx));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t batch_size = 0;
    bool drop_remainder = false;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "batch_size", &batch_size));
    if (ctx->num_inputs() > 2) {
      TF_RETURN_IF_ERROR(
          ScalarArgument(ctx, "drop_remainder", &drop_remainder));
    }
    if (is_parallel_) {
      // Each batch waits for its elements, which come one by one.
      int64_t calls = 0;
      TF_RETURN_IF_ERROR(ScalarArgument(ctx, "num_parallel_calls", &calls));
      if (calls != -1 && calls <= 0) {
        return errors::InvalidArgument(
            type_string(),
            ": num_parallel_calls must be greater than zero or -1, got ",
            calls);
      }
    }
    if (batch_size <= 0) {
      return errors::InvalidArgument(
          type_string(), ": Batch size must be greater than zero, got ",
          batch_size);
    }
    return DatasetPtr(
        new BatchDataset(std::move(input), batch_size, drop_remainder));
  }

 private:
  bool is_parallel_ = false;
};
REGISTER_KERNEL_BUILDER(Name("BatchDataset").Device(DEVICE_CPU),
                        BatchDatasetOp);
REGISTER_KERNEL_BUILDER(Name("BatchDatasetV2").Device(DEVICE_CPU),
                        BatchDatasetOp);
REGISTER_KERNEL_BUILDER(Name("ParallelBatchDataset").Device(DEVICE_CPU),
                        BatchDatasetOp);

}  // namespace
}  // namespace tensorwright
