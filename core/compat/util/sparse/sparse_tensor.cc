// SPDX-License-Identifier: Apache-2.0
#include "core/compat/util/sparse/sparse_tensor.h"

#include "absl/strings/str_join.h"

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
  const auto text = [this](int64_t i) {
    return absl::StrJoin(absl::MakeConstSpan(row(i), shape_.size()), ",");
  };
  for (int64_t i = 0; i < num_entries(); ++i) {
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (row(i)[d] < 0 || row(i)[d] >= shape_[d]) {
        return Status(
            errors::InvalidArgument("indices[", i, "] = [", text(i),
                                    "] is out of bounds: need 0 <= index < [",
                                    absl::StrJoin(shape_, ","), "]"));
      }
    }
    if (i == 0 || order_.empty()) continue;
    int sign = 0;
    for (int64_t d : order_) {
      if (sign == 0) {
        sign = (row(i)[d] > row(i - 1)[d]) - (row(i)[d] < row(i - 1)[d]);
      }
    }
    if (sign <= 0) {
      return Status(
          errors::InvalidArgument("indices[", i, "] = [", text(i), "] is ",
                                  sign == 0 ? "there twice" : "out of order"));
    }
  }
  return Status();
}

}  // namespace sparse
}  // namespace tensorwright
