// SPDX-License-Identifier: Apache-2.0
// MaskedMatmul: some elements of a product of matrices.

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A matrix [rows, columns], stored so or transposed.
struct Operand {
  const float* data;
  int64_t rows, columns;
  int64_t row_step, column_step;

  Operand(const Tensor& x, bool transposed)
      : data(x.base<float>()),
        rows(x.dim_size(transposed ? 1 : 0)),
        columns(x.dim_size(transposed ? 0 : 1)),
        row_step(transposed ? 1 : x.dim_size(1)),
        column_step(transposed ? x.dim_size(1) : 1) {}
};

// Row i of `a` times column j of `b`.
float ProductAt(const Operand& a, const Operand& b, int64_t i, int64_t j) {
  const float* row = a.data + i * a.row_step;
  const float* column = b.data + j * b.column_step;
  float sum = 0;
  for (int64_t l = 0; l < a.columns; ++l) {
    sum += row[l * a.column_step] * column[l * b.row_step];
  }
  return sum;
}

class MaskedMatmulOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Operand a(ctx->input(0), ctx->input(3).base<bool>()[0]);
    const Operand b(ctx->input(1), ctx->input(4).base<bool>()[0]);
    OP_REQUIRES(ctx, a.columns == b.rows,
                errors::InvalidArgument(
                    "MaskedMatmul: the columns of a must be as many as the "
                    "rows of b, after transpositions; got ",
                    a.columns, " and ", b.rows));
    const Tensor& indices = ctx->input(2);
    const int64_t count = indices.dim_size(0);
    const int64_t* at = indices.base<int64_t>();
    for (int64_t e = 0; e < count; ++e) {
      const int64_t i = at[2 * e], j = at[2 * e + 1];
      OP_REQUIRES(
          ctx, i >= 0 && i < a.rows && j >= 0 && j < b.columns,
          errors::InvalidArgument("MaskedMatmul: mask_indices[", e,
                                  "] must be in [0, ", a.rows, ") x [0, ",
                                  b.columns, "), got (", i, ", ", j, ")"));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({count}), &out));
    float* to = out->base<float>();
    ParallelFor(ctx, count, 2 * a.columns + 10,
                [&](int64_t begin, int64_t end) {
                  for (int64_t e = begin; e < end; ++e) {
                    to[e] = ProductAt(a, b, at[2 * e], at[2 * e + 1]);
                  }
                });
  }
};

REGISTER_KERNEL_BUILDER(Name("MaskedMatmul").Device(DEVICE_CPU),
                        MaskedMatmulOp);

}  // namespace
}  // namespace tensorwright
