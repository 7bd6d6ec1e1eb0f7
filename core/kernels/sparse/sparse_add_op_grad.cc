// SPDX-License-Identifier: Apache-2.0
// SparseAddGrad: each summand's gradient is the sum's gradient at the same
// place, and 0 if the sum has no element there.

#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// All three lists of rows are in order.
template <typename T>
void GradOf(sparse::Rows rows, sparse::Rows sum, const T* sum_grad, T* grad) {
  int64_t k = 0;
  for (int64_t i = 0; i < rows.n; ++i) {
    int sign = 1;
    while (k < sum.n &&
           (sign = sparse::CompareRows(sum[k], rows[i], rows.rank)) < 0) {
      ++k;
    }
    const bool found = k < sum.n && sign == 0;
    grad[i] = found ? sum_grad[k] : T(0);
    k += found;
  }
}

}  // namespace

template <typename T>
class SparseAddGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grad = ctx->input(0);
    OP_REQUIRES(ctx, grad.dims() == 1,
                errors::InvalidArgument(
                    "backprop_val_grad must be a vector, got shape ",
                    grad.shape().DebugString()));
    for (int i = 1; i <= 3; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).dims() == 2,
                  errors::InvalidArgument(
                      "a_indices, b_indices and sum_indices must be matrices, "
                      "got shape ",
                      ctx->input(i).shape().DebugString()));
    }
    const sparse::Rows a = sparse::RowsOf(ctx->input(1)),
                       b = sparse::RowsOf(ctx->input(2)),
                       sum = sparse::RowsOf(ctx->input(3));
    OP_REQUIRES(
        ctx, grad.NumElements() == sum.n,
        errors::InvalidArgument("# elements of backprop_val_grad and # rows of "
                                "sum_indices should match: got ",
                                grad.NumElements(), " and ", sum.n));
    OP_REQUIRES(ctx, a.rank == b.rank && a.rank == sum.rank,
                errors::InvalidArgument(
                    "a_indices, b_indices and sum_indices must be of one "
                    "rank, got ",
                    a.rank, ", ", b.rank, " and ", sum.rank));
    Tensor *a_grad = nullptr, *b_grad = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({a.n}), &a_grad));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({b.n}), &b_grad));
    GradOf(a, sum, grad.base<T>(), a_grad->base<T>());
    GradOf(b, sum, grad.base<T>(), b_grad->base<T>());
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("SparseAddGrad").Device(DEVICE_CPU), "T",
                          SparseAddGradOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);

}  // namespace tensorwright
