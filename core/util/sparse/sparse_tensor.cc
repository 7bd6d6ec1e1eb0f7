// SPDX-License-Identifier: Apache-2.0
#include "core/util/sparse/sparse_tensor.h"

namespace tensorwright {
namespace sparse {

SparseTensor::SparseTensor(Tensor ix, Tensor vals, VarDimArray shape,
                           VarDimArray order)
    : ix_(std::move(ix)),
      vals_(std::move(vals)),
      shape_(shape.begin(), shape.end()),
      order_(order.begin(), order.end()) {
  CHECK_EQ(ix_.dtype(), DT_INT64) << "indices";
  CHECK(TensorShapeUtils::IsMatrix(ix_.shape())) << ix_.shape().DebugString();
  CHECK(TensorShapeUtils::IsVector(vals_.shape()))
      << vals_.shape().DebugString();
  CHECK_EQ(ix_.dim_size(0), vals_.dim_size(0));
  CHECK_EQ(ix_.dim_size(1), static_cast<int64_t>(shape_.size()));
}

Status SparseTensor::Create(Tensor ix, Tensor vals, VarDimArray shape,
                            VarDimArray order, SparseTensor* result) {
  if (ix.dtype() != DT_INT64) {
    return errors::InvalidArgument("indices must be int64, got ",
                                   DataTypeString(ix.dtype()));
  }
  if (!TensorShapeUtils::IsMatrix(ix.shape()) ||
      !TensorShapeUtils::IsVector(vals.shape()) ||
      ix.dim_size(0) != vals.dim_size(0)) {
    return errors::InvalidArgument(
        "indices must be [n, rank] and values [n], got ",
        ix.shape().DebugString(), " and ", vals.shape().DebugString());
  }
  if (ix.dim_size(1) != static_cast<int64_t>(shape.size()) ||
      (!order.empty() && order.size() != shape.size())) {
    return errors::InvalidArgument(
        "indices, shape and order must be of one rank, got ", ix.dim_size(1),
        ", ", shape.size(), " and ", order.size());
  }
  *result = SparseTensor(std::move(ix), std::move(vals), shape, order);
  return Status();
}

Validity SparseTensor::IndicesValid() const {
  const Rows rows = RowsOf(ix_);
  return order_.empty() ? CheckInside(rows, shape_)
                        : CheckOrdered(rows, shape_, order_);
}

}  // namespace sparse
}  // namespace tensorwright
