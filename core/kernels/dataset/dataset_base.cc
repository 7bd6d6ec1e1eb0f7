// SPDX-License-Identifier: Apache-2.0
// Datasets in tensors, and their kernels.
#include "core/kernels/dataset/dataset_base.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/variant.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The value in a DT_VARIANT tensor.
struct DatasetValue {
  DatasetPtr dataset;
  std::string TypeName() const { return "tensorwright::Dataset"; }
  std::string DebugString() const {
    return absl::StrCat("Dataset<", dataset->Name(), ">");
  }
};

// Counts the depth of its dataset while it is called.
class InnerIterator final : public IteratorBase {
 public:
  InnerIterator(std::unique_ptr<IteratorBase> iterator, int depth)
      : iterator_(std::move(iterator)), depth_(depth) {}

  StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
    IteratorContext inner = *ctx;
    inner.depth += depth_;
    return iterator_->GetNext(&inner, out);
  }
  bool IsReady() override { return iterator_->IsReady(); }

 private:
  const std::unique_ptr<IteratorBase> iterator_;
  const int depth_;
};

}  // namespace

StatusOr<std::unique_ptr<IteratorBase>> MakeInnerIterator(
    IteratorContext* ctx, const DatasetBase& dataset) {
  const int depth = ctx->depth + dataset.depth();
  if (depth > DatasetBase::kMaxDepth) {
    return errors::InvalidArgument(
        dataset.Name(), "Dataset: datasets whose functions make datasets are ",
        depth, " deep, more than ", DatasetBase::kMaxDepth);
  }
  IteratorContext inner = *ctx;
  inner.depth = depth;
  TF_ASSIGN_OR_RETURN(auto iterator, dataset.MakeIterator(&inner));
  return std::unique_ptr<IteratorBase>(
      std::make_unique<InnerIterator>(std::move(iterator), dataset.depth()));
}

int DatasetDepth(const Tensor& tensor) {
  if (tensor.dtype() != DT_VARIANT || !tensor.IsInitialized()) return 0;
  int depth = 0;
  const Variant* const values = tensor.base<Variant>();
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const auto* value = values[i].get<DatasetValue>();
    if (value != nullptr) depth = std::max(depth, value->dataset->depth());
  }
  return depth;
}

IteratorContext IteratorContext::FromKernel(OpKernelContext* ctx) {
  IteratorContext result;
  result.functions = ctx->function_library();
  result.threads = ctx->device()->tensorflow_cpu_worker_threads()->workers;
  result.env = ctx->env();
  result.allocator = ctx->get_allocator(AllocatorAttributes());
  result.cancellation = ctx->cancellation_manager();
  return result;
}

Status DatasetFromTensor(const Tensor& tensor, DatasetPtr* dataset) {
  if (tensor.dtype() != DT_VARIANT || tensor.NumElements() != 1 ||
      tensor.dims() != 0) {
    return errors::InvalidArgument(
        "a dataset must be a variant of shape [], got ",
        DataTypeString(tensor.dtype()), " of shape ",
        tensor.shape().DebugString());
  }
  const Variant& variant = tensor.scalar_value<Variant>();
  const auto* value = variant.get<DatasetValue>();
  if (value == nullptr) {
    return errors::InvalidArgument(
        "a dataset was expected, got a variant that holds ",
        variant.is_empty() ? "nothing" : variant.TypeName());
  }
  *dataset = value->dataset;
  return OkStatus();
}

Tensor DatasetToTensor(DatasetPtr dataset) {
  Tensor tensor(DT_VARIANT, TensorShape());
  tensor.scalar_value<Variant>() = DatasetValue{std::move(dataset)};
  return tensor;
}

template <typename T>
Status ScalarArgument(OpKernelContext* ctx, absl::string_view name, T* value) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(ctx->input(name, &tensor));
  const std::string& op = ctx->op_kernel().type_string();
  if (tensor->dims() != 0) {
    return errors::InvalidArgument(op, ": ", name,
                                   " must be a scalar, got shape ",
                                   tensor->shape().DebugString());
  }
  if (tensor->dtype() != DataTypeToEnum<T>::value) {
    return errors::InvalidArgument(op, ": ", name, " must be ",
                                   DataTypeString(DataTypeToEnum<T>::value),
                                   ", got ", DataTypeString(tensor->dtype()));
  }
  *value = tensor->scalar_value<T>();
  return OkStatus();
}
template Status ScalarArgument(OpKernelContext*, absl::string_view, int32_t*);
template Status ScalarArgument(OpKernelContext*, absl::string_view, int64_t*);
template Status ScalarArgument(OpKernelContext*, absl::string_view, bool*);
template Status ScalarArgument(OpKernelContext*, absl::string_view,
                               std::string*);

DatasetOpKernel::DatasetOpKernel(OpKernelConstruction* ctx)
    : OpKernel(ctx), node_(std::make_shared<const NodeDef>(ctx->def())) {}

void DatasetOpKernel::Compute(OpKernelContext* ctx) {
  StatusOr<DatasetPtr> dataset = MakeDataset(ctx);
  OP_REQUIRES_OK(ctx, dataset.status());
  Element inputs;
  inputs.reserve(ctx->num_inputs());
  for (int i = 0; i < ctx->num_inputs(); ++i) inputs.push_back(ctx->input(i));
  OP_REQUIRES_OK(ctx, (*dataset)->SetOrigin(node_, std::move(inputs)));
  ctx->set_output(0, DatasetToTensor(*std::move(dataset)));
}

Status DatasetOpKernel::Input(OpKernelContext* ctx, absl::string_view name,
                              DatasetPtr* dataset) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(ctx->input(name, &tensor));
  const Status status = DatasetFromTensor(*tensor, dataset);
  if (status.ok()) return status;
  return errors::WithMessage(
      status, absl::StrCat(ctx->op_kernel().type_string(), ": ", name, ": ",
                           status.message()));
}

Status ReadOutputSpec(OpKernelConstruction* ctx, DataTypeVector* dtypes,
                      std::vector<PartialTensorShape>* shapes) {
  TF_RETURN_IF_ERROR(ctx->GetAttr(
      ctx->HasAttr("output_types") ? "output_types" : "Toutput_types", dtypes));
  TF_RETURN_IF_ERROR(ctx->GetAttr("output_shapes", shapes));
  if (dtypes->size() == shapes->size()) return OkStatus();
  return errors::InvalidArgument(
      ctx->def().op(),
      ": output_types and output_shapes must be equally many, got ",
      dtypes->size(), " and ", shapes->size());
}

Status CheckDtypes(const DataTypeVector& expected, const DataTypeVector& got) {
  if (expected == got) return OkStatus();
  return errors::InvalidArgument("Expected output types [",
                                 DataTypeSliceString(expected), "], got [",
                                 DataTypeSliceString(got), "]");
}

Status CheckShapes(const std::vector<PartialTensorShape>& expected,
                   const std::vector<PartialTensorShape>& got) {
  if (expected.size() != got.size()) {
    return errors::InvalidArgument("Expected ", expected.size(),
                                   " shapes, got ", got.size());
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (expected[i].IsCompatibleWith(got[i])) continue;
    return errors::InvalidArgument("Incompatible shapes at component ", i,
                                   ": expected ", expected[i].DebugString(),
                                   ", got ", got[i].DebugString());
  }
  return OkStatus();
}

}  // namespace tensorwright
