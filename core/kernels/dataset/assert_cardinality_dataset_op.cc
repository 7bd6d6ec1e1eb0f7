// SPDX-License-Identifier: Apache-2.0
// The number of elements of a dataset: AssertCardinalityDataset gives it and
// checks it, DatasetCardinality reads it.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/function.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

std::string Words(int64_t n) {
  if (n == DatasetBase::kInfinite) return "an infinite number of elements";
  if (n == DatasetBase::kUnknown) return "an unknown number of elements";
  return absl::StrCat(n, n == 1 ? " element" : " elements");
}

class AssertCardinalityDataset final : public UnaryDataset {
 public:
  AssertCardinalityDataset(DatasetPtr input, int64_t cardinality)
      : UnaryDataset(std::move(input)), cardinality_(cardinality) {}

  std::string Name() const override { return "AssertCardinality"; }
  int64_t Cardinality() const override { return cardinality_; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<AssertCardinalityDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      const int64_t expected = dataset().cardinality_;
      TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
      if (more && expected >= 0 && seen == expected) {
        return errors::FailedPrecondition(
            "Input dataset was expected to contain ", Words(expected),
            " but contained at least ", Words(seen + 1), ".");
      }
      if (!more && (expected == kInfinite || seen < expected)) {
        return errors::FailedPrecondition(
            "Input dataset was expected to contain ", Words(expected),
            " but contained only ", Words(seen), ".");
      }
      seen += more;
      return more;
    }

    std::unique_ptr<IteratorBase> input;
    int64_t seen = 0;
  };

  const int64_t cardinality_;
};

class AssertCardinalityDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t cardinality = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "cardinality", &cardinality));
    return DatasetPtr(
        new AssertCardinalityDataset(std::move(input), cardinality));
  }
};
REGISTER_KERNEL_BUILDER(Name("AssertCardinalityDataset").Device(DEVICE_CPU),
                        AssertCardinalityDatasetOp);

class DatasetCardinalityOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    DatasetPtr dataset;
    OP_REQUIRES_OK(ctx, DatasetFromTensor(ctx->input(0), &dataset));
    ctx->set_output(0, Tensor(dataset->Cardinality()));
  }
};
REGISTER_KERNEL_BUILDER(Name("DatasetCardinality").Device(DEVICE_CPU),
                        DatasetCardinalityOp);

class DatasetFingerprintOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    DatasetPtr dataset;
    OP_REQUIRES_OK(ctx, DatasetFromTensor(ctx->input(0), &dataset));
    const FunctionLibraryRuntime* functions = ctx->function_library();
    const StatusOr<uint64_t> number = dataset->Fingerprint(
        functions == nullptr ? nullptr
                             : functions->GetFunctionLibraryDefinition());
    OP_REQUIRES_OK(ctx, number.status());
    ctx->set_output(0, Tensor(*number));
  }
};
REGISTER_KERNEL_BUILDER(Name("DatasetFingerprint").Device(DEVICE_CPU),
                        DatasetFingerprintOp);

}  // namespace
}  // namespace tensorwright
