// SPDX-License-Identifier: Apache-2.0
// FilterDataset: the elements for which a function says yes.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {
namespace {

class FilterDataset final : public UnaryDataset {
 public:
  FilterDataset(DatasetPtr input, std::unique_ptr<CapturedFunction> predicate)
      : UnaryDataset(std::move(input)), predicate_(std::move(predicate)) {}

  std::string Name() const override { return "Filter"; }
  // It may look for an element for ever, which is not to be done in the thread
  // that looks at the run's deadline.
  bool MayWait() const override { return true; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->predicate, predicate_->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<FilterDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      for (;;) {
        if (input == nullptr) return false;
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("FilterDataset: was cancelled");
        }
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
        if (!more) {
          input = nullptr;
          return false;
        }
        const int64_t index = next++;
        const StatusOr<bool> yes = predicate->RunPredicate(ctx, *out);
        if (errors::IsOutOfRange(yes.status())) {
          input = nullptr;
          return false;
        }
        if (!yes.ok()) return AtElement(yes.status(), "FilterDataset", index);
        if (*yes) return true;
      }
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> predicate;
    int64_t next = 0;
  };

  const std::unique_ptr<CapturedFunction> predicate_;
};

class FilterDatasetOp final : public FunctionDatasetOp {
 public:
  explicit FilterDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "predicate") {}

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::unique_ptr<CapturedFunction> predicate;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(Function(ctx, &predicate));
    return DatasetPtr(
        new FilterDataset(std::move(input), std::move(predicate)));
  }
};
REGISTER_KERNEL_BUILDER(Name("FilterDataset").Device(DEVICE_CPU),
                        FilterDatasetOp);

}  // namespace
}  // namespace tensorwright
