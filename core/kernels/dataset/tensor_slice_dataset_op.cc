// SPDX-License-Identifier: Apache-2.0
// TensorSliceDataset: the slices of tensors along their first dimension.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/rows.h"

namespace tensorwright {
namespace {

class TensorSliceDataset final : public DatasetBase {
 public:
  TensorSliceDataset(Element components, DataTypeVector dtypes,
                     std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        components_(std::move(components)),
        rows_(components_[0].dim_size(0)) {}

  std::string Name() const override { return "TensorSlice"; }
  int64_t Cardinality() const override { return rows_; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<TensorSliceDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      if (next_ >= dataset().rows_) return false;
      out->clear();
      for (const Tensor& component : dataset().components_) {
        TF_RETURN_IF_ERROR(RowAt(component, next_, &out->emplace_back()));
      }
      ++next_;
      return true;
    }

   private:
    int64_t next_ = 0;
  };

  const Element components_;
  const int64_t rows_;
};

class TensorSliceDatasetOp final : public DatasetOpKernel {
 public:
  explicit TensorSliceDatasetOp(OpKernelConstruction* ctx)
      : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    Element components;
    std::vector<PartialTensorShape> shapes;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const Tensor& component = ctx->input(i);
      if (component.dims() < 1) {
        return errors::InvalidArgument(
            "TensorSliceDataset: components must have rank >= 1, component ", i,
            " is a scalar");
      }
      if (component.dim_size(0) != ctx->input(0).dim_size(0)) {
        return errors::InvalidArgument(
            "TensorSliceDataset: all components must have as many rows as "
            "component 0, ",
            ctx->input(0).dim_size(0), ", component ", i, " has ",
            component.dim_size(0));
      }
      components.push_back(component);
      TensorShape row = component.shape();
      row.RemoveDim(0);
      shapes.emplace_back(row);
    }
    TF_RETURN_IF_ERROR(CheckShapes(shapes_, shapes));
    return DatasetPtr(
        new TensorSliceDataset(std::move(components), dtypes_, shapes_));
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("TensorSliceDataset").Device(DEVICE_CPU),
                        TensorSliceDatasetOp);

}  // namespace
}  // namespace tensorwright
