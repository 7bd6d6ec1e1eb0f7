// SPDX-License-Identifier: Apache-2.0
// MapDataset: a function of each element.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/captured_function.h"

namespace tensorwright {
namespace {

class MapDataset final : public UnaryDataset {
 public:
  MapDataset(DatasetPtr input, std::unique_ptr<CapturedFunction> function,
             bool preserve_cardinality, DataTypeVector dtypes,
             std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality) {}

  std::string Name() const override { return "Map"; }
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
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<MapDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (ended) return false;
      Element args;
      TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &args));
      if (!more) {
        ended = true;
        return false;
      }
      const int64_t index = next++;
      const Status status = function->Run(ctx, std::move(args), out);
      if (status.ok()) return true;
      // A function may tell that there are no more elements.
      if (errors::IsOutOfRange(status)) {
        if (!dataset().preserve_cardinality_) {
          ended = true;
          return false;
        }
        return errors::InvalidArgument(
            "Function invocation produced OutOfRangeError: ",
            AtElement(status, "MapDataset", index).message());
      }
      return AtElement(status, "MapDataset", index);
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> function;
    int64_t next = 0;
    bool ended = false;
  };

  const std::unique_ptr<CapturedFunction> function_;
  const bool preserve_cardinality_;
};

class MapDatasetOp final : public FunctionDatasetOp {
 public:
  explicit MapDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "f") {
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("preserve_cardinality", &preserve_cardinality_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::unique_ptr<CapturedFunction> function;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(Function(ctx, &function));
    return DatasetPtr(new MapDataset(std::move(input), std::move(function),
                                     preserve_cardinality_, output_dtypes_,
                                     output_shapes_));
  }

 private:
  bool preserve_cardinality_ = false;
};
REGISTER_KERNEL_BUILDER(Name("MapDataset").Device(DEVICE_CPU), MapDatasetOp);

}  // namespace
}  // namespace tensorwright
