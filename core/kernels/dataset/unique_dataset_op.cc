// SPDX-License-Identifier: Apache-2.0
// UniqueDataset: each element the first time that it comes.

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "core/framework/cancellation.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {
namespace {

template <typename T>
void AppendBytes(const T* values, int64_t count, std::string* to) {
  to->append(reinterpret_cast<const char*>(values),
             static_cast<size_t>(count) * sizeof(T));
}

// Equal for equal tensors of one dtype, and for no others.
std::string KeyOf(const Tensor& tensor) {
  std::string key;
  for (const int64_t size : tensor.shape().dim_sizes()) {
    AppendBytes(&size, 1, &key);
  }
  const int64_t n = tensor.NumElements();
  switch (tensor.dtype()) {
    case DT_INT32:
      AppendBytes(tensor.base<int32_t>(), n, &key);
      break;
    case DT_INT64:
      AppendBytes(tensor.base<int64_t>(), n, &key);
      break;
    default:
      for (int64_t i = 0; i < n; ++i) {
        const std::string& text = tensor.base<std::string>()[i];
        const size_t length = text.size();
        AppendBytes(&length, 1, &key);
        key.append(text.data(), length);
      }
  }
  // Adds the rank: two shapes may begin alike.
  key.push_back(static_cast<char>(tensor.dims()));
  return key;
}

class UniqueDataset final : public UnaryDataset {
 public:
  using UnaryDataset::UnaryDataset;

  std::string Name() const override { return "Unique"; }
  // For as long as FilterDataset's search.
  bool MayWait() const override { return true; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<UniqueDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      for (;;) {
        if (ctx->cancellation != nullptr && ctx->cancellation->IsCancelled()) {
          return errors::Cancelled("UniqueDataset: was cancelled");
        }
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, out));
        if (!more) return false;
        if (seen.insert(KeyOf((*out)[0])).second) return true;
      }
    }

    std::unique_ptr<IteratorBase> input;
    absl::flat_hash_set<std::string> seen;
  };
};

class UniqueDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    const DataTypeVector& dtypes = input->output_dtypes();
    if (dtypes.size() != 1) {
      return errors::InvalidArgument(
          "UniqueDataset only supports inputs with a single component, got ",
          dtypes.size());
    }
    if (dtypes[0] != DT_INT32 && dtypes[0] != DT_INT64 &&
        dtypes[0] != DT_STRING) {
      return errors::InvalidArgument(
          "UniqueDataset only supports inputs with a single int32, int64, or "
          "string component, got ",
          DataTypeString(dtypes[0]));
    }
    return DatasetPtr(new UniqueDataset(std::move(input)));
  }
};
REGISTER_KERNEL_BUILDER(Name("UniqueDataset").Device(DEVICE_CPU),
                        UniqueDatasetOp);

}  // namespace
}  // namespace tensorwright
