// SPDX-License-Identifier: Apache-2.0
// ZipDataset: datasets side by side.

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

class ZipDataset final : public DatasetBase {
 public:
  ZipDataset(std::vector<DatasetPtr> inputs, DataTypeVector dtypes,
             std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        inputs_(std::move(inputs)) {}

  std::string Name() const override { return "Zip"; }
  bool MayWait() const override {
    for (const DatasetPtr& input : inputs_) {
      if (input->MayWait()) return true;
    }
    return false;
  }
  int64_t Cardinality() const override {
    int64_t result = kInfinite;
    for (const DatasetPtr& input : inputs_) {
      const int64_t n = input->Cardinality();
      if (n == kUnknown) return kUnknown;
      if (n != kInfinite && (result == kInfinite || n < result)) result = n;
    }
    return result;
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    for (const DatasetPtr& input : inputs_) {
      TF_ASSIGN_OR_RETURN(auto one, input->MakeIterator(ctx));
      made->inputs.push_back(std::move(one));
    }
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<ZipDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (inputs.empty()) return false;
      Element element;
      Status failed;
      Element part;
      for (const std::unique_ptr<IteratorBase>& input : inputs) {
        const StatusOr<bool> more = input->GetNext(ctx, &part);
        // All inputs advance together, even after an element that fails.
        failed.Update(more.status());
        if (!more.ok()) continue;
        if (!*more) {
          inputs.clear();
          return failed.ok() ? StatusOr<bool>(false) : failed;
        }
        std::move(part.begin(), part.end(), std::back_inserter(element));
      }
      TF_RETURN_IF_ERROR(failed);
      *out = std::move(element);
      return true;
    }

    std::vector<std::unique_ptr<IteratorBase>> inputs;
  };

  const std::vector<DatasetPtr> inputs_;
};

class ZipDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    std::vector<DatasetPtr> inputs;
    DataTypeVector dtypes;
    std::vector<PartialTensorShape> shapes;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      DatasetPtr input;
      TF_RETURN_IF_ERROR(DatasetFromTensor(ctx->input(i), &input));
      for (const DataType type : input->output_dtypes()) dtypes.push_back(type);
      for (const auto& shape : input->output_shapes()) shapes.push_back(shape);
      inputs.push_back(std::move(input));
    }
    return DatasetPtr(new ZipDataset(std::move(inputs), std::move(dtypes),
                                     std::move(shapes)));
  }
};
REGISTER_KERNEL_BUILDER(Name("ZipDataset").Device(DEVICE_CPU), ZipDatasetOp);

}  // namespace
}  // namespace tensorwright
