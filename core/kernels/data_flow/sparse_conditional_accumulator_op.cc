// SPDX-License-Identifier: Apache-2.0
// SparseConditionalAccumulator: as ConditionalAccumulator, for rows.  A mean is
// taken over the gradients that have the row.

#include <map>
#include <utility>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/kernels/data_flow/conditional_accumulator_base.h"

namespace tensorwright {
namespace {

// Inputs of SparseAccumulatorApplyGradient.
constexpr int kIndices = 2, kValues = 3, kShape = 4;

template <typename T>
class SparseAccumulator final : public ConditionalAccumulatorBase {
 public:
  using ConditionalAccumulatorBase::ConditionalAccumulatorBase;

 private:
  struct Row {
    std::vector<T> sum;
    int32_t gradients = 0;  // The number of gradients that have it.
    int32_t last = -1;      // The number of the latest of them.
  };

  Status Add(OpKernelContext* ctx) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const Tensor& indices = ctx->input(kIndices);
    const Tensor& values = ctx->input(kValues);
    TF_RETURN_IF_ERROR(Check(ctx, indices, values));
    if (count_ == 0) row_shape_ = values.shape();
    const int64_t n = indices.NumElements();
    const int64_t width = n == 0 ? 0 : values.NumElements() / n;
    for (int64_t i = 0; i < n; ++i) {
      Row& row = rows_[indices.base<int64_t>()[i]];
      row.sum.resize(width, T(0));
      const T* from = values.base<T>() + i * width;
      for (int64_t k = 0; k < width; ++k) row.sum[k] += from[k];
      if (row.last != count_) ++row.gradients;
      row.last = count_;
    }
    return OkStatus();
  }

  Status Check(OpKernelContext* ctx, const Tensor& indices,
               const Tensor& values) const TF_SHARED_LOCKS_REQUIRED(mu_) {
    if (indices.dims() != 1) {
      return errors::InvalidArgument(
          "Input indices should be vector but received shape: ",
          indices.shape().DebugString());
    }
    if (values.dims() < 1) {
      return errors::InvalidArgument("Values cannot be 0-dimensional.");
    }
    if (values.dim_size(0) != indices.dim_size(0)) {
      return errors::InvalidArgument(
          "The first dimension of values must be that of indices, ",
          indices.dim_size(0), ", got shape ", values.shape().DebugString());
    }
    for (const int64_t index : Flat<int64_t>(indices)) {
      if (index < 0) {
        return errors::InvalidArgument("Index ", index, " is negative");
      }
    }
    bool known = false;
    TF_RETURN_IF_ERROR(
        GetNodeAttr(ctx->op_kernel().def(), "has_known_shape", &known));
    // The accumulator's shape is that of the first dimensions.
    PartialTensorShape whole = options_.shape;
    if (known) {
      const Tensor& sizes = ctx->input(kShape);
      TensorShape shape;
      TF_RETURN_IF_ERROR(
          TensorShapeUtils::MakeShape(Flat<int64_t>(sizes), &shape));
      TF_RETURN_IF_ERROR(Fits("shape", shape, whole, 0));
      whole = PartialTensorShape(shape.dim_sizes());
    }
    if (!whole.unknown_rank() && whole.dims() > 0 && whole.dim_size(0) >= 0) {
      TF_RETURN_IF_ERROR(AreBelow(whole.dim_size(0), indices));
    }
    // The values do not tell the size of the first dimension.
    if (count_ > 0) {
      if (values.dims() != row_shape_.dims()) {
        return errors::InvalidArgument("Shape mismatch: expected values rank ",
                                       row_shape_.dims(), ", got ",
                                       values.dims());
      }
      TF_RETURN_IF_ERROR(Fits("values", values.shape(),
                              PartialTensorShape(row_shape_.dim_sizes()), 1));
    }
    TF_RETURN_IF_ERROR(Fits("values", values.shape(), whole, 1));
    return OkStatus();
  }

  // Whether the first dimensions of `shape`, from `from` on, are as `wanted`
  // says.
  static Status Fits(const char* what, const TensorShape& shape,
                     const PartialTensorShape& wanted, int from) {
    if (wanted.unknown_rank()) return OkStatus();
    if (shape.dims() < wanted.dims()) {
      return errors::InvalidArgument("Shape mismatch: expected ", what,
                                     " rank at least ", wanted.dims(), ", got ",
                                     shape.dims());
    }
    for (int d = from; d < wanted.dims(); ++d) {
      if (wanted.dim_size(d) >= 0 && wanted.dim_size(d) != shape.dim_size(d)) {
        return errors::InvalidArgument(
            "Shape mismatch: expected ", what, " dim ", d, " to be ",
            wanted.dim_size(d), ", got ", shape.dim_size(d));
      }
    }
    return OkStatus();
  }

  static Status AreBelow(int64_t limit, const Tensor& indices) {
    for (int64_t i = 0; i < indices.NumElements(); ++i) {
      const int64_t index = indices.base<int64_t>()[i];
      if (index >= limit) {
        return errors::InvalidArgument("Shape mismatch: index of slice ", i,
                                       " exceeded limits of shape; index is ",
                                       index, " exceeded ", limit);
      }
    }
    return OkStatus();
  }

  Status Take(OpKernelContext* ctx) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    Tensor *indices, *values, *shape;
    const int64_t n = static_cast<int64_t>(rows_.size());
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape({n}), &indices));
    TensorShape whole = row_shape_;
    whole.set_dim(0, n);
    TF_RETURN_IF_ERROR(ctx->allocate_output(1, whole, &values));
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(2, TensorShape({whole.dims()}), &shape));
    shape->base<int64_t>()[0] =
        options_.shape.dims() > 0 ? options_.shape.dim_size(0) : -1;
    for (int d = 1; d < whole.dims(); ++d) {
      shape->base<int64_t>()[d] = whole.dim_size(d);
    }
    int64_t* index = indices->base<int64_t>();
    T* to = values->base<T>();
    for (const auto& [key, row] : rows_) {
      *index++ = key;
      const T divisor(options_.mean ? static_cast<float>(row.gradients) : 1.0f);
      for (const T& x : row.sum) *to++ = x / divisor;
    }
    rows_.clear();
    return OkStatus();
  }

  // The first dimension is of any size.
  TensorShape row_shape_ TF_GUARDED_BY(mu_);
  std::map<int64_t, Row> rows_ TF_GUARDED_BY(mu_);
};

template <typename T>
using SparseConditionalAccumulatorOp = AccumulatorOp<SparseAccumulator<T>>;
REGISTER_KERNEL_FOR_TYPES(
    Name("SparseConditionalAccumulator").Device(DEVICE_CPU), "dtype",
    SparseConditionalAccumulatorOp, Eigen::half, float, double);

using SparseApplyGradientOp = ApplyGradientOp<kValues>;
using SparseTakeGradientOp = TakeGradientOp<1>;
REGISTER_KERNEL_BUILDER(
    Name("SparseAccumulatorApplyGradient").Device(DEVICE_CPU),
    SparseApplyGradientOp);
REGISTER_KERNEL_BUILDER(
    Name("SparseAccumulatorTakeGradient").Device(DEVICE_CPU),
    SparseTakeGradientOp);

}  // namespace
}  // namespace tensorwright
