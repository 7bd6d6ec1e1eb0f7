// SPDX-License-Identifier: Apache-2.0
// IgnoreErrorsDataset: a dataset without the elements that fail.

#include <memory>
#include <string>
#include <utility>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

class IgnoreErrorsDataset final : public UnaryDataset {
 public:
  IgnoreErrorsDataset(DatasetPtr input, bool log_warning)
      : UnaryDataset(std::move(input)), log_warning_(log_warning) {}

  std::string Name() const override { return "IgnoreErrors"; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<IgnoreErrorsDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      while (input != nullptr) {
        const StatusOr<bool> more = input->GetNext(ctx, out);
        if (more.ok()) {
          if (!*more) input = nullptr;
          return more;
        }
        // A cancelled run is no element that fails.
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return more;
        }
        if (dataset().log_warning_) {
          LOG(WARNING) << "Error raised with error message "
                       << more.status().message();
        }
      }
      return false;
    }

    std::unique_ptr<IteratorBase> input;
  };

  const bool log_warning_;
};

class IgnoreErrorsDatasetOp final : public DatasetOpKernel {
 public:
  explicit IgnoreErrorsDatasetOp(OpKernelConstruction* ctx)
      : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("log_warning", &log_warning_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    return DatasetPtr(new IgnoreErrorsDataset(std::move(input), log_warning_));
  }

 private:
  bool log_warning_ = false;
};
REGISTER_KERNEL_BUILDER(Name("IgnoreErrorsDataset").Device(DEVICE_CPU),
                        IgnoreErrorsDatasetOp);

}  // namespace
}  // namespace tensorwright
