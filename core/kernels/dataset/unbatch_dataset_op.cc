// SPDX-License-Identifier: Apache-2.0
// UnbatchDataset: the slices of each element.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/rows.h"

namespace tensorwright {
namespace {

std::vector<PartialTensorShape> RowShapes(const DatasetBase& input) {
  std::vector<PartialTensorShape> rows;
  for (const PartialTensorShape& shape : input.output_shapes()) {
    PartialTensorShape row;
    if (shape.dims() > 0) {
      std::vector<int64_t> sizes;
      for (int d = 1; d < shape.dims(); ++d) sizes.push_back(shape.dim_size(d));
      row = PartialTensorShape(sizes);
    }
    rows.push_back(row);
  }
  return rows;
}

class UnbatchDataset final : public UnaryDataset {
 public:
  explicit UnbatchDataset(DatasetPtr input)
      : UnaryDataset(input, input->output_dtypes(), RowShapes(*input)) {}

  std::string Name() const override { return "Unbatch"; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<UnbatchDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      while (row >= rows) {
        if (input == nullptr) return false;
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &batch));
        if (!more) {
          input = nullptr;
          return false;
        }
        row = rows = 0;
        for (const Tensor& tensor : batch) {
          if (tensor.dims() < 1) {
            return errors::InvalidArgument(
                "UnbatchDataset: Input element must have a non-zero rank "
                "for each component.");
          }
          if (tensor.dim_size(0) != batch[0].dim_size(0)) {
            return errors::InvalidArgument(
                "UnbatchDataset: Input element must have the same batch size "
                "in each component, got ",
                batch[0].dim_size(0), " and ", tensor.dim_size(0));
          }
        }
        rows = batch.empty() ? 0 : batch[0].dim_size(0);
      }
      out->clear();
      for (const Tensor& tensor : batch) {
        TF_RETURN_IF_ERROR(RowAt(tensor, row, &out->emplace_back()));
      }
      if (++row == rows) batch.clear();
      return true;
    }

    std::unique_ptr<IteratorBase> input;
    Element batch;
    int64_t row = 0;
    int64_t rows = 0;
  };
};

class UnbatchDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    for (const PartialTensorShape& shape : input->output_shapes()) {
      if (shape.dims() == 0) {
        return errors::InvalidArgument(
            "UnbatchDataset: input_dataset must have no scalar components");
      }
    }
    return DatasetPtr(new UnbatchDataset(std::move(input)));
  }
};
REGISTER_KERNEL_BUILDER(Name("UnbatchDataset").Device(DEVICE_CPU),
                        UnbatchDatasetOp);

}  // namespace
}  // namespace tensorwright
