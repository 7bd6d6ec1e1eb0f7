// SPDX-License-Identifier: Apache-2.0
// TensorDataset: one element.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class TensorDataset final : public DatasetBase {
 public:
  TensorDataset(Element element, DataTypeVector dtypes,
                std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        element_(std::move(element)) {}

  std::string Name() const override { return "Tensor"; }
  int64_t Cardinality() const override { return 1; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<TensorDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      if (done_) return false;
      done_ = true;
      *out = dataset().element_;
      return true;
    }

   private:
    bool done_ = false;
  };

  const Element element_;
};

class TensorDatasetOp final : public DatasetOpKernel {
 public:
  explicit TensorDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    Element element;
    std::vector<PartialTensorShape> shapes;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      element.push_back(ctx->input(i));
      shapes.emplace_back(ctx->input(i).shape());
    }
    TF_RETURN_IF_ERROR(CheckShapes(shapes_, shapes));
    return DatasetPtr(new TensorDataset(std::move(element), dtypes_, shapes_));
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("TensorDataset").Device(DEVICE_CPU),
                        TensorDatasetOp);

}  // namespace
}  // namespace tensorwright
