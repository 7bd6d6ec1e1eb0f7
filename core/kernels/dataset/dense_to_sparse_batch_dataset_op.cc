// SPDX-License-Identifier: Apache-2.0
// DenseToSparseBatchDataset: tensors as the rows of a sparse tensor.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/variant.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/lib/element_dispatch.h"

namespace tensorwright {
namespace {

// Indices, values and shape.
constexpr int kParts = 3;

class DenseToSparseBatchDataset final : public UnaryDataset {
 public:
  // An element is three tensors, or one tensor of variants that hold these.
  DenseToSparseBatchDataset(DatasetPtr input, int64_t batch_size,
                            std::vector<int64_t> row, DataTypeVector dtypes,
                            std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        batch_size_(batch_size),
        row_(std::move(row)) {}

  std::string Name() const override { return "DenseToSparseBatch"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    return n < 0 ? n : n / batch_size_ + (n % batch_size_ > 0 ? 1 : 0);
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    auto made = std::make_unique<Iterator>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  struct Iterator final : public DatasetIterator<DenseToSparseBatchDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      const DenseToSparseBatchDataset& d = dataset();
      std::vector<Tensor> rows;
      std::vector<int64_t> sizes = d.row_;
      int64_t elements = 0;
      while (static_cast<int64_t>(rows.size()) < d.batch_size_) {
        Element element;
        TF_ASSIGN_OR_RETURN(const bool more, input->GetNext(ctx, &element));
        if (!more) {
          input = nullptr;
          break;
        }
        TF_RETURN_IF_ERROR(Fit(element[0].shape(), &sizes));
        elements += element[0].NumElements();
        rows.push_back(std::move(element[0]));
      }
      if (rows.empty()) return false;
      return Sparse(rows, sizes, elements, out);
    }

    // Sizes that are free grow with the element.
    Status Fit(const TensorShape& shape, std::vector<int64_t>* sizes) const {
      const std::vector<int64_t>& row = dataset().row_;
      if (shape.dims() != static_cast<int>(row.size())) {
        return errors::InvalidArgument(
            "DenseToSparseBatchDataset: Input element had shape (",
            shape.DebugString(),
            ") that is incompatible with the row shape of "
            "rank ",
            row.size());
      }
      for (int i = 0; i < shape.dims(); ++i) {
        if (row[i] < 0) {
          (*sizes)[i] = std::max((*sizes)[i], shape.dim_size(i));
        } else if (shape.dim_size(i) > row[i]) {
          return errors::DataLoss(
              "DenseToSparseBatchDataset: Input element had shape (",
              shape.DebugString(), ") that is larger than the row shape's ",
              row[i], " in dimension ", i);
        }
      }
      return OkStatus();
    }

    StatusOr<bool> Sparse(const std::vector<Tensor>& rows,
                          const std::vector<int64_t>& sizes, int64_t elements,
                          Element* out) const {
      const int64_t rank = static_cast<int64_t>(sizes.size()) + 1;
      Tensor indices, values, shape;
      TF_RETURN_IF_ERROR(Tensor::BuildTensor(
          DT_INT64, TensorShape({elements, rank}), &indices));
      TF_RETURN_IF_ERROR(
          Tensor::BuildTensor(dataset().input().output_dtypes()[0],
                              TensorShape({elements}), &values));
      TF_RETURN_IF_ERROR(
          Tensor::BuildTensor(DT_INT64, TensorShape({rank}), &shape));
      shape.base<int64_t>()[0] = static_cast<int64_t>(rows.size());
      for (int64_t i = 1; i < rank; ++i) {
        shape.base<int64_t>()[i] = std::max<int64_t>(sizes[i - 1], 0);
      }
      int64_t* index = indices.base<int64_t>();
      int64_t at = 0;
      for (size_t r = 0; r < rows.size(); ++r) {
        const Tensor& row = rows[r];
        const int64_t n = row.NumElements();
        if (n == 0) continue;
        TF_RETURN_IF_ERROR(
            DispatchElement(row.dtype(), [&]<typename T>(ElementTag<T>) {
              std::copy_n(static_cast<const T*>(row.data()), n,
                          static_cast<T*>(values.data()) + at);
            }));
        at += n;
        for (int64_t i = 0; i < n; ++i, index += rank) {
          index[0] = static_cast<int64_t>(r);
          int64_t rest = i;
          for (int64_t d = rank - 1; d >= 1; --d) {
            index[d] = rest % row.dim_size(static_cast<int>(d - 1));
            rest /= row.dim_size(static_cast<int>(d - 1));
          }
        }
      }
      *out = {std::move(indices), std::move(values), std::move(shape)};
      if (dataset().output_dtypes().size() > 1) return true;
      Tensor packed(DT_VARIANT, TensorShape({kParts}));
      for (int i = 0; i < kParts; ++i) {
        packed.base<Variant>()[i] = std::move((*out)[i]);
      }
      *out = {std::move(packed)};
      return true;
    }

    std::unique_ptr<IteratorBase> input;
  };

  const int64_t batch_size_;
  const std::vector<int64_t> row_;
};

class DenseToSparseBatchDatasetOp final : public DatasetOpKernel {
 public:
  explicit DenseToSparseBatchDatasetOp(OpKernelConstruction* ctx)
      : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t batch_size = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "batch_size", &batch_size));
    if (batch_size <= 0) {
      return errors::InvalidArgument(
          "DenseToSparseBatchDataset: Batch size must be greater than zero, "
          "got ",
          batch_size);
    }
    if (input->output_dtypes().size() != 1) {
      return errors::InvalidArgument(
          "DenseToSparseBatchDataset only supports inputs with a single "
          "component, got ",
          input->output_dtypes().size());
    }
    const Tensor* shape = nullptr;
    TF_RETURN_IF_ERROR(ctx->input("row_shape", &shape));
    if (shape->dims() != 1) {
      return errors::InvalidArgument(
          "DenseToSparseBatchDataset: row_shape must be a vector, got shape ",
          shape->shape().DebugString());
    }
    std::vector<int64_t> row;
    for (int64_t i = 0; i < shape->NumElements(); ++i) {
      row.push_back(shape->base<int64_t>()[i]);
      if (row.back() < -1) {
        return errors::InvalidArgument("DenseToSparseBatchDataset: Dimension ",
                                       i, " must be >= -1, got ", row.back());
      }
    }
    DataTypeVector parts = {DT_INT64, input->output_dtypes()[0], DT_INT64};
    if (dtypes_.size() == 1) parts = {DT_VARIANT};
    TF_RETURN_IF_ERROR(CheckDtypes(dtypes_, parts));
    return DatasetPtr(new DenseToSparseBatchDataset(
        std::move(input), batch_size, std::move(row), dtypes_, shapes_));
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("DenseToSparseBatchDataset").Device(DEVICE_CPU),
                        DenseToSparseBatchDatasetOp);

}  // namespace
}  // namespace tensorwright
