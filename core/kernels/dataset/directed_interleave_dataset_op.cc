// SPDX-License-Identifier: Apache-2.0
// DirectedInterleaveDataset: one dataset chooses the dataset of each next
// element.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class DirectedInterleaveDataset final : public DatasetBase {
 public:
  DirectedInterleaveDataset(DatasetPtr selector, std::vector<DatasetPtr> inputs,
                            bool stop_on_empty, DataTypeVector dtypes,
                            std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        stop_on_empty_(stop_on_empty) {}

  std::string Name() const override { return "DirectedInterleave"; }
  // The remaining datasets may never be chosen: then the search for an element
  // has no end.
  bool MayWait() const override { return true; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->selector, selector_->MakeIterator(ctx));
    for (const DatasetPtr& input : inputs_) {
      TF_ASSIGN_OR_RETURN(auto one, input->MakeIterator(ctx));
      made->inputs.push_back(std::move(one));
    }
    made->left = inputs_.size();
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<DirectedInterleaveDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      Element choice;
      while (left > 0) {
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("DirectedInterleaveDataset: was cancelled");
        }
        TF_ASSIGN_OR_RETURN(bool more, selector->GetNext(ctx, &choice));
        if (!more) break;
        if (choice[0].dims() != 0) {
          return errors::InvalidArgument(
              "DirectedInterleaveDataset: a selector must be a scalar, got "
              "shape ",
              choice[0].shape().DebugString());
        }
        const int64_t index = choice[0].scalar_value<int64_t>();
        const auto count = static_cast<int64_t>(inputs.size());
        if (index < 0 || index >= count) {
          return errors::InvalidArgument("Selector index out of range: ", index,
                                         " >= ", count);
        }
        std::unique_ptr<IteratorBase>& input = inputs[index];
        if (input == nullptr) continue;
        TF_ASSIGN_OR_RETURN(more, input->GetNext(ctx, out));
        if (more) return true;
        input = nullptr;
        --left;
        if (dataset().stop_on_empty_) break;
      }
      left = 0;
      return false;
    }

    std::unique_ptr<IteratorBase> selector;
    // Null: the input is at its end.
    std::vector<std::unique_ptr<IteratorBase>> inputs;
    size_t left = 0;
  };

  const DatasetPtr selector_;
  const std::vector<DatasetPtr> inputs_;
  const bool stop_on_empty_;
};

class DirectedInterleaveDatasetOp final : public DatasetOpKernel {
 public:
  explicit DirectedInterleaveDatasetOp(OpKernelConstruction* ctx)
      : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("stop_on_empty_dataset", &stop_on_empty_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr selector;
    TF_RETURN_IF_ERROR(Input(ctx, "selector_input_dataset", &selector));
    if (selector->output_dtypes() != DataTypeVector{DT_INT64} ||
        !selector->output_shapes()[0].IsCompatibleWith(TensorShape())) {
      return errors::InvalidArgument(
          "DirectedInterleaveDataset: the selector input must be a dataset of "
          "scalar int64 elements.");
    }
    std::vector<DatasetPtr> inputs;
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      DatasetPtr input;
      TF_RETURN_IF_ERROR(DatasetFromTensor(ctx->input(i), &input));
      if (input->output_dtypes() != dtypes_) {
        return errors::InvalidArgument(
            "DirectedInterleaveDataset: all inputs must have the types [",
            DataTypeSliceString(dtypes_), "], got [",
            DataTypeSliceString(input->output_dtypes()), "] of input ", i - 1);
      }
      inputs.push_back(std::move(input));
    }
    return DatasetPtr(
        new DirectedInterleaveDataset(std::move(selector), std::move(inputs),
                                      stop_on_empty_, dtypes_, shapes_));
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
  bool stop_on_empty_ = false;
};
REGISTER_KERNEL_BUILDER(Name("DirectedInterleaveDataset").Device(DEVICE_CPU),
                        DirectedInterleaveDatasetOp);

}  // namespace
}  // namespace tensorwright
