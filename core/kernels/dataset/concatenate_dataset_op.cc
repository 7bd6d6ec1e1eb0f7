// SPDX-License-Identifier: Apache-2.0
// ConcatenateDataset: one dataset, then another.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class ConcatenateDataset final : public UnaryDataset {
 public:
  ConcatenateDataset(DatasetPtr first, DatasetPtr second,
                     std::vector<PartialTensorShape> shapes)
      : UnaryDataset(first, first->output_dtypes(), std::move(shapes)),
        second_(std::move(second)) {}

  std::string Name() const override { return "Concatenate"; }
  bool MayWait() const override {
    return UnaryDataset::MayWait() || second_->MayWait();
  }
  int64_t Cardinality() const override {
    const int64_t a = input().Cardinality();
    const int64_t b = second_->Cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    int64_t sum = 0;
    if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kUnknown;
    return sum;
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<ConcatenateDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      while (input != nullptr) {
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
        if (more) return true;
        input = nullptr;
        if (is_second) return false;
        is_second = true;
        TF_ASSIGN_OR_RETURN(input, dataset().second_->MakeIterator(ctx));
      }
      return false;
    }

    std::unique_ptr<IteratorBase> input;
    bool is_second = false;
  };

  const DatasetPtr second_;
};

class ConcatenateDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr first, second;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &first));
    TF_RETURN_IF_ERROR(Input(ctx, "another_dataset", &second));
    if (first->output_dtypes() != second->output_dtypes()) {
      return errors::InvalidArgument(
          "ConcatenateDataset: input dataset and dataset to concatenate have "
          "different output_types [",
          DataTypeSliceString(first->output_dtypes()), "] and [",
          DataTypeSliceString(second->output_dtypes()), "]");
    }
    // The types and shapes that both have in common.
    std::vector<PartialTensorShape> shapes;
    for (size_t i = 0; i < first->output_shapes().size(); ++i) {
      const PartialTensorShape& a = first->output_shapes()[i];
      const PartialTensorShape& b = second->output_shapes()[i];
      PartialTensorShape common;
      if (a.dims() >= 0 && a.dims() == b.dims()) {
        std::vector<int64_t> sizes;
        for (int d = 0; d < a.dims(); ++d) {
          sizes.push_back(a.dim_size(d) == b.dim_size(d) ? a.dim_size(d) : -1);
        }
        common = PartialTensorShape(sizes);
      }
      shapes.push_back(common);
    }
    return DatasetPtr(new ConcatenateDataset(
        std::move(first), std::move(second), std::move(shapes)));
  }
};
REGISTER_KERNEL_BUILDER(Name("ConcatenateDataset").Device(DEVICE_CPU),
                        ConcatenateDatasetOp);

}  // namespace
}  // namespace tensorwright
