// SPDX-License-Identifier: Apache-2.0
// SparseTensorSliceDataset: the slices of a sparse tensor.

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/rows.h"
#include "core/util/batch_util.h"

namespace tensorwright {
namespace {

class SparseTensorSliceDataset final : public DatasetBase {
 public:
  SparseTensorSliceDataset(Tensor indices, Tensor values, Tensor shape)
      : DatasetBase({DT_INT64, values.dtype(), DT_INT64},
                    {PartialTensorShape({-1, indices.dim_size(1) - 1}),
                     PartialTensorShape({-1}),
                     PartialTensorShape({indices.dim_size(1) - 1})}),
        indices_(std::move(indices)),
        values_(std::move(values)),
        shape_(std::move(shape)) {}

  std::string Name() const override { return "SparseTensorSlice"; }
  int64_t Cardinality() const override { return shape_.base<int64_t>()[0]; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<SparseTensorSliceDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      const SparseTensorSliceDataset& d = dataset();
      if (row_ >= d.Cardinality()) return false;
      const int64_t rank = d.indices_.dim_size(1);
      const int64_t* indices = d.indices_.base<int64_t>();
      const int64_t begin = at_;
      while (at_ < d.indices_.dim_size(0) && indices[at_ * rank] == row_) {
        ++at_;
      }
      const int64_t n = at_ - begin;
      Tensor part, values, shape;
      TF_RETURN_IF_ERROR(
          Tensor::BuildTensor(DT_INT64, TensorShape({n, rank - 1}), &part));
      TF_RETURN_IF_ERROR(
          Tensor::BuildTensor(d.values_.dtype(), TensorShape({n}), &values));
      TF_RETURN_IF_ERROR(
          Tensor::BuildTensor(DT_INT64, TensorShape({rank - 1}), &shape));
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(indices + (begin + i) * rank + 1, rank - 1,
                    part.base<int64_t>() + i * (rank - 1));
        Tensor value;
        TF_RETURN_IF_ERROR(RowAt(d.values_, begin + i, &value));
        TF_RETURN_IF_ERROR(batch_util::CopyElementToSlice(value, &values, i));
      }
      std::copy_n(d.shape_.base<int64_t>() + 1, rank - 1,
                  shape.base<int64_t>());
      ++row_;
      *out = {std::move(part), std::move(values), std::move(shape)};
      return true;
    }

   private:
    int64_t row_ = 0;
    int64_t at_ = 0;  // The position in the indices.
  };

  const Tensor indices_;
  const Tensor values_;
  const Tensor shape_;
};

class SparseTensorSliceDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& values = ctx->input(1);
    const Tensor& shape = ctx->input(2);
    if (indices.dims() != 2 || values.dims() != 1 || shape.dims() != 1 ||
        indices.dim_size(0) != values.dim_size(0) ||
        indices.dim_size(1) != shape.dim_size(0)) {
      return errors::InvalidArgument(
          "SparseTensorSliceDataset: indices must be [n, rank], values [n], "
          "dense_shape [rank], got ",
          indices.shape().DebugString(), ", ", values.shape().DebugString(),
          " and ", shape.shape().DebugString());
    }
    const int64_t rank = shape.dim_size(0);
    if (rank < 1) {
      return errors::InvalidArgument(
          "SparseTensorSliceDataset: dense_shape must have at least one "
          "dimension");
    }
    const int64_t* sizes = shape.base<int64_t>();
    const int64_t* index = indices.base<int64_t>();
    for (int64_t i = 0; i < rank; ++i) {
      if (sizes[i] >= 0) continue;
      return errors::InvalidArgument(
          "SparseTensorSliceDataset: dense_shape must not be negative, got ",
          sizes[i]);
    }
    int64_t row = 0;
    for (int64_t i = 0; i < indices.dim_size(0); ++i, index += rank) {
      for (int64_t d = 0; d < rank; ++d) {
        if (index[d] >= 0 && index[d] < sizes[d]) continue;
        return errors::InvalidArgument("SparseTensorSliceDataset: index ", i,
                                       " is ", index[d], " in dimension ", d,
                                       ", which has size ", sizes[d]);
      }
      if (index[0] < row) {
        return errors::Unimplemented(
            "SparseTensorSliceDataset: The SparseTensor must be ordered in the "
            "batch dimension; handling arbitrarily ordered input is not "
            "currently supported.");
      }
      row = index[0];
    }
    return DatasetPtr(new SparseTensorSliceDataset(indices, values, shape));
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseTensorSliceDataset").Device(DEVICE_CPU),
                        SparseTensorSliceDatasetOp);

}  // namespace
}  // namespace tensorwright
