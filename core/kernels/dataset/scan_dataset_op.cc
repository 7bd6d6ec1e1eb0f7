// SPDX-License-Identifier: Apache-2.0
// ScanDataset: a function maps a state and each element to the next state and
// an element.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {

namespace {

class ScanDataset final : public UnaryDataset {
 public:
  ScanDataset(DatasetPtr input, Element initial_state,
              std::unique_ptr<CapturedFunction> function,
              bool preserve_cardinality, DataTypeVector dtypes,
              std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        initial_state_(std::move(initial_state)),
        function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality) {}

  std::string Name() const override { return "Scan"; }
  bool MayWait() const override {
    return function_->is_stateful || UnaryDataset::MayWait();
  }
  int64_t Cardinality() const override {
    return preserve_cardinality_ ? input().Cardinality() : kUnknown;
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->function, function_->Instantiate(ctx));
    made->state = initial_state_;
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<ScanDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      Element element;
      TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &element));
      Status status;
      if (more) {
        status = Fold(ctx, *function, "ScanDataset", next++,
                      !dataset().preserve_cardinality_, std::move(element),
                      &state, out);
      }
      if (!more || errors::IsOutOfRange(status)) {
        input = nullptr;
        return false;
      }
      TF_RETURN_IF_ERROR(status);
      DataTypeVector dtypes;
      for (const Tensor& tensor : *out) dtypes.push_back(tensor.dtype());
      TF_RETURN_IF_ERROR(CheckDtypes(dataset().output_dtypes(), dtypes));
      return true;
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> function;
    Element state;
    int64_t next = 0;
  };

  const Element initial_state_;
  const std::unique_ptr<CapturedFunction> function_;
  const bool preserve_cardinality_;
};

class ScanDatasetOp final : public FunctionDatasetOp {
 public:
  explicit ScanDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "f") {
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("preserve_cardinality", &preserve_cardinality_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    Element state;
    std::unique_ptr<CapturedFunction> function;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(InitialState(ctx, &state));
    TF_RETURN_IF_ERROR(Function(ctx, &function));
    return DatasetPtr(
        new ScanDataset(std::move(input), std::move(state), std::move(function),
                        preserve_cardinality_, output_dtypes_, output_shapes_));
  }

 private:
  bool preserve_cardinality_ = false;
};
REGISTER_KERNEL_BUILDER(Name("ScanDataset").Device(DEVICE_CPU), ScanDatasetOp);

}  // namespace
}  // namespace tensorwright
