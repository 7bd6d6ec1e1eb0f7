// SPDX-License-Identifier: Apache-2.0
// SparseFillEmptyRows gives each row (the first dimension) of a sparse tensor
// an element; its gradient op serves the values.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/framework/bounds_check.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// Elements by rows; those of one row keep their order.
struct RowOrder {
  std::vector<int64_t> rows;   // Ascending.
  std::vector<int64_t> order;  // The number of each element in the input.
  bool in_order = true;
  int64_t different = 0;
};

Status ReadRows(sparse::Rows rows, int64_t limit, RowOrder* out) {
  out->rows.resize(rows.n);
  for (int64_t i = 0; i < rows.n; ++i) {
    const int64_t row = rows[i][0];
    if (!FastBoundsCheck(row, limit)) {
      return errors::InvalidArgument("indices(", i, ", 0) is invalid: ", row,
                                     " is not in [0, ", limit, ")");
    }
    out->rows[i] = row;
    if (i > 0 && row < out->rows[i - 1]) out->in_order = false;
  }
  if (out->in_order) {
    out->order = AllDims(rows.n);
  } else {
    sparse::SortKeys(&out->rows, &out->order);
  }
  for (int64_t i = 0; i < rows.n; ++i) {
    out->different += i == 0 || out->rows[i] != out->rows[i - 1];
  }
  return OkStatus();
}

class SparseFillEmptyRowsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    const Tensor& default_value = ctx->input(3);
    OP_REQUIRES_OK(ctx, in.Check("dense_"));
    OP_REQUIRES(ctx, in.rank() > 0,
                errors::InvalidArgument("Dense shape cannot be empty."));
    OP_REQUIRES(ctx, default_value.dims() == 0,
                errors::InvalidArgument("default_value must be a scalar, saw: ",
                                        default_value.shape().DebugString()));
    const int64_t dense_rows = in.sizes()[0];
    OP_REQUIRES(ctx, dense_rows >= 0,
                errors::InvalidArgument(
                    "dense_shape[0] must be non-negative, got ", dense_rows));
    RowOrder order;
    OP_REQUIRES_OK(ctx, ReadRows(in.rows(), dense_rows, &order));
    Outputs out;
    OP_REQUIRES_OK(ctx, Allocate(ctx, in, order, &out));
    FillRows(in.rows(), dense_rows, order, &out);
    OP_REQUIRES_OK(ctx, FillValues(in, default_value, &out));
  }

 private:
  struct Outputs {
    Tensor* indices = nullptr;  // Null if the output is the input's.
    Tensor* values = nullptr;
    Tensor* empty = nullptr;
    Tensor* reverse = nullptr;
  };

  static Status Allocate(OpKernelContext* ctx, const SparseInput& in,
                         const RowOrder& order, Outputs* out) {
    const int64_t dense_rows = in.sizes()[0];
    const int64_t empty_rows = dense_rows - order.different;
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(2, TensorShape({dense_rows}), &out->empty));
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(3, TensorShape({in.size()}), &out->reverse));
    if (empty_rows == 0 && order.in_order) {
      ctx->set_output(0, in.indices);
      ctx->set_output(1, in.values);
      return OkStatus();
    }
    int64_t full = 0;
    if (__builtin_add_overflow(in.size(), empty_rows, &full)) {
      return errors::InvalidArgument("dense_shape[0] = ", dense_rows,
                                     " is too large");
    }
    TensorShape rows;
    TF_RETURN_IF_ERROR(rows.AddDimWithStatus(full));
    TF_RETURN_IF_ERROR(rows.AddDimWithStatus(in.rank()));
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, rows, &out->indices));
    return ctx->allocate_output(1, TensorShape({full}), &out->values);
  }

  // Fills all outputs but the values.
  static void FillRows(sparse::Rows rows, int64_t dense_rows,
                       const RowOrder& order, Outputs* out) {
    bool* const empty = out->empty->base<bool>();
    int64_t* const reverse = out->reverse->base<int64_t>();
    int64_t* to =
        out->indices == nullptr ? nullptr : out->indices->base<int64_t>();
    int64_t next = 0, at = 0;
    for (int64_t row = 0; row < dense_rows; ++row) {
      empty[row] = next == rows.n || order.rows[next] != row;
      if (empty[row]) {
        to[0] = row;
        std::fill_n(to + 1, rows.rank - 1, 0);
        to += rows.rank;
        ++at;
      }
      for (; next < rows.n && order.rows[next] == row; ++next, ++at) {
        reverse[order.order[next]] = at;
        if (to == nullptr) continue;
        std::copy_n(rows[order.order[next]], rows.rank, to);
        to += rows.rank;
      }
    }
  }

  static Status FillValues(const SparseInput& in, const Tensor& default_value,
                           Outputs* out) {
    if (out->values == nullptr) return OkStatus();
    const int64_t* const reverse = out->reverse->base<int64_t>();
    return DispatchElement(in.values.dtype(), [&]<typename T>(ElementTag<T>) {
      const T* const from = in.values.base<T>();
      T* const to = out->values->base<T>();
      FillRun(*default_value.base<T>(), out->values->NumElements(), to);
      for (int64_t i = 0; i < in.size(); ++i) to[reverse[i]] = from[i];
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseFillEmptyRows").Device(DEVICE_CPU),
                        SparseFillEmptyRowsOp);

}  // namespace

// reverse_index_map [n], grad_values [full] -> d_values [n], d_default_value
// [], which is the sum of the gradients that no element of the map names.
template <typename T>
class SparseFillEmptyRowsGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& reverse = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    OP_REQUIRES(
        ctx, reverse.dims() == 1,
        errors::InvalidArgument("reverse_index_map must be a vector, saw: ",
                                reverse.shape().DebugString()));
    OP_REQUIRES(ctx, grad.dims() == 1,
                errors::InvalidArgument("grad_values must be a vector, saw: ",
                                        grad.shape().DebugString()));
    Tensor *d_values = nullptr, *d_default = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, reverse.shape(), &d_values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape(), &d_default));
    const int64_t full = grad.NumElements();
    std::vector<bool> named(full, false);
    for (int64_t i = 0; i < reverse.NumElements(); ++i) {
      const int64_t at = reverse.base<int64_t>()[i];
      OP_REQUIRES(
          ctx, FastBoundsCheck(at, full),
          errors::InvalidArgument("Elements in reverse index must be in [0, ",
                                  full, ") but got ", at));
      named[at] = true;
      d_values->base<T>()[i] = grad.base<T>()[at];
    }
    T sum(0);
    for (int64_t i = 0; i < full; ++i) {
      if (!named[i]) sum = functor::Add<T>()(sum, grad.base<T>()[i]);
    }
    *d_default->base<T>() = sum;
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("SparseFillEmptyRowsGrad").Device(DEVICE_CPU),
                          "T", SparseFillEmptyRowsGradOp, float, double, half,
                          bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                          uint16_t, uint32_t, uint64_t, complex64, complex128);

}  // namespace tensorwright
