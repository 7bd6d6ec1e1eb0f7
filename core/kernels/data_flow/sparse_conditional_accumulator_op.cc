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
    bool known = false;
    TF_RETURN_IF_ERROR(
        GetNodeAttr(ctx->op_kernel().def(), "has_known_shape", &known));
    PartialTensorShape whole;
    if (known) {
      const Tensor& sizes = ctx->input(kShape);
      TensorShape shape;
      TF_RETURN_IF_ERROR(
          TensorShapeUtils::MakeShape(Flat<int64_t>(sizes), &shape));
      whole = PartialTensorShape(shape.dim_sizes());
    }
    // The values do not tell the size of the first dimension.
    PartialTensorShape rows({-1});
    for (int d = 1; d < values.dims(); ++d) rows.AddDim(values.dim_size(d));
    // The accumulator's shape is that of the first dimensions.
    PartialTensorShape own = options_.shape;
    while (!own.unknown_rank() && own.dims() < values.dims()) own.AddDim(-1);
    PartialTensorShape merged;
    for (const PartialTensorShape& shape : {own, rows}) {
      if (whole.IsCompatibleWith(shape) &&
          whole.MergeWith(shape, &merged).ok()) {
        whole = merged;
        continue;
      }
      return errors::InvalidArgument("Shape mismatch: expected ",
                                     whole.DebugString(), ", got ",
                                     shape.DebugString());
    }
    if (count_ > 0) {
      bool same = values.dims() == row_shape_.dims();
      for (int d = 1; same && d < values.dims(); ++d) {
        same = values.dim_size(d) == row_shape_.dim_size(d);
      }
      if (!same) {
        return errors::InvalidArgument("Shape mismatch: expected rows as of ",
                                       row_shape_.DebugString(), ", got ",
                                       values.shape().DebugString());
      }
    }
    const int64_t limit = whole.dim_size(0);
    for (const int64_t index : Flat<int64_t>(indices)) {
      if (index >= 0 && (limit < 0 || index < limit)) continue;
      return errors::InvalidArgument("Index ", index, " is not in [0, ", limit,
                                     ")");
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
