// SPDX-License-Identifier: Apache-2.0
// FlatMapDataset: the datasets that a function makes, one after the other.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {
namespace {

class FlatMapDataset final : public UnaryDataset {
 public:
  FlatMapDataset(DatasetPtr input, std::unique_ptr<CapturedFunction> function,
                 DataTypeVector dtypes, std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        function_(std::move(function)) {}

  std::string Name() const override { return "FlatMap"; }
  // Nothing is known about the datasets that the function makes.
  bool MayWait() const override { return true; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->function, function_->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<FlatMapDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      for (;;) {
        if (current != nullptr) {
          TF_ASSIGN_OR_RETURN(const bool more, current->GetNext(ctx, out));
          if (more) return true;
          current = nullptr;
        }
        if (input == nullptr) return false;
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("FlatMapDataset: was cancelled");
        }
        Element args;
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &args));
        if (!more) {
          input = nullptr;
          return false;
        }
        const int64_t index = next++;
        StatusOr<DatasetPtr> made = function->RunDataset(ctx, std::move(args));
        if (!made.ok())
          return AtElement(made.status(), "FlatMapDataset", index);
        const Status fits =
            CheckDtypes(dataset().output_dtypes(), (*made)->output_dtypes());
        if (!fits.ok()) return AtElement(fits, "FlatMapDataset", index);
        TF_ASSIGN_OR_RETURN(current, MakeInnerIterator(ctx, **made));
      }
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> function;
    std::unique_ptr<IteratorBase> current;
    int64_t next = 0;
  };

  const std::unique_ptr<CapturedFunction> function_;
};

class FlatMapDatasetOp final : public FunctionDatasetOp {
 public:
  explicit FlatMapDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "f") {}

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::unique_ptr<CapturedFunction> function;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(Function(ctx, &function));
    return DatasetPtr(new FlatMapDataset(std::move(input), std::move(function),
                                         output_dtypes_, output_shapes_));
  }
};
REGISTER_KERNEL_BUILDER(Name("FlatMapDataset").Device(DEVICE_CPU),
                        FlatMapDatasetOp);

}  // namespace
}  // namespace tensorwright
