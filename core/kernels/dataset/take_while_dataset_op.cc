// SPDX-License-Identifier: Apache-2.0
// TakeWhileDataset: the elements before the first for which a function says no.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {
namespace {

class TakeWhileDataset final : public UnaryDataset {
 public:
  TakeWhileDataset(DatasetPtr input,
                   std::unique_ptr<CapturedFunction> predicate)
      : UnaryDataset(std::move(input)), predicate_(std::move(predicate)) {}

  std::string Name() const override { return "TakeWhile"; }
  bool MayWait() const override {
    return predicate_->is_stateful || UnaryDataset::MayWait();
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->predicate, predicate_->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<TakeWhileDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      TF_ASSIGN_OR_RETURN(bool more, input->GetNext(ctx, out));
      if (more) {
        const int64_t index = next++;
        const StatusOr<bool> yes = predicate->RunPredicate(ctx, *out);
        // A function may say that there is no more.
        if (!yes.ok() && !errors::IsOutOfRange(yes.status())) {
          return AtElement(yes.status(), "TakeWhileDataset", index);
        }
        more = yes.ok() && *yes;
      }
      if (!more) input = nullptr;
      return more;
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> predicate;
    int64_t next = 0;
  };

  const std::unique_ptr<CapturedFunction> predicate_;
};

class TakeWhileDatasetOp final : public FunctionDatasetOp {
 public:
  explicit TakeWhileDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "predicate") {}

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::unique_ptr<CapturedFunction> predicate;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(Function(ctx, &predicate));
    return DatasetPtr(
        new TakeWhileDataset(std::move(input), std::move(predicate)));
  }
};
REGISTER_KERNEL_BUILDER(Name("TakeWhileDataset").Device(DEVICE_CPU),
                        TakeWhileDatasetOp);

}  // namespace
}  // namespace tensorwright
