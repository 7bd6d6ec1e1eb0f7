// SPDX-License-Identifier: Apache-2.0
// The kernel of SparseMatMul.

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/matmul.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Returns the elements of `t` as floats: its own, or a copy in *buffer.
template <typename T>
Status AsFloats(OpKernelContext* ctx, const Tensor& t, Tensor* buffer,
                const float** floats) {
  if constexpr (std::is_same_v<T, float>) {
    *floats = t.base<float>();
  } else {
    TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, t.shape(), buffer));
    WidenFloats(t.base<T>(), buffer->base<float>(), t.NumElements());
    *floats = buffer->base<float>();
  }
  return OkStatus();
}

struct CountNonzeroLoop {
  TW_WIDE_LOOP static int64_t Run(const float* x, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += x[i] != 0;
    return count;
  }
};

// Leaving zeros out pays if fewer than one in this many numbers is not zero: a
// dense product does that many multiplications in the same time.
constexpr int64_t kSparseA = 8;
constexpr int64_t kSparseB = 48;

struct AddMultipleLoop {
  TW_WIDE_LOOP static void Run(const float* x, float factor, float* y,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
  }
};

// c [m, n] = a x b, leaving out the zeros of a [m, k]; b [k, n] is row-major.
void MultiplySparseA(OpKernelContext* ctx, const MatMulArgs& args,
                     const float* a, const float* b, float* c) {
  const int64_t row_step = args.transpose_a ? 1 : args.k;
  const int64_t col_step = args.transpose_a ? args.m : 1;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* row = c + i * args.n;
      std::fill_n(row, args.n, 0.0f);
      for (int64_t p = 0; p < args.k; ++p) {
        const float factor = a[i * row_step + p * col_step];
        if (factor == 0) continue;
        RunWide<AddMultipleLoop>(b + p * args.n, factor, row, args.n);
      }
    }
  };
  ParallelFor(ctx, args.m, args.k * args.n / kSparseA + args.k, std::ref(run));
}

// c [m, n] = a x b, leaving out the zeros of b.
void MultiplySparseB(OpKernelContext* ctx, const MatMulArgs& args,
                     const float* a, const float* b, float* c) {
  const int64_t row_step = args.transpose_b ? 1 : args.n;
  const int64_t col_step = args.transpose_b ? args.k : 1;
  std::vector<int64_t> starts = {0}, columns;
  std::vector<float> values;
  for (int64_t p = 0; p < args.k; ++p) {
    for (int64_t j = 0; j < args.n; ++j) {
      const float value = b[p * row_step + j * col_step];
      if (value == 0) continue;
      columns.push_back(j);
      values.push_back(value);
    }
    starts.push_back(static_cast<int64_t>(columns.size()));
  }
  const int64_t a_row_step = args.transpose_a ? 1 : args.k;
  const int64_t a_col_step = args.transpose_a ? args.m : 1;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* row = c + i * args.n;
      std::fill_n(row, args.n, 0.0f);
      for (int64_t p = 0; p < args.k; ++p) {
        const float factor = a[i * a_row_step + p * a_col_step];
        for (int64_t at = starts[p]; at < starts[p + 1]; ++at) {
          row[columns[at]] += factor * values[at];
        }
      }
    }
  };
  ParallelFor(ctx, args.m, 2 * starts.back() + args.k + args.n, std::ref(run));
}

}  // namespace

template <typename TA, typename TB>
class SparseMatMulOp final : public OpKernel {
 public:
  explicit SparseMatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("a_is_sparse", &a_is_sparse_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("b_is_sparse", &b_is_sparse_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, a.dims() == 2 && b.dims() == 2,
                errors::InvalidArgument(
                    "SparseMatMul: a and b must be matrices, got ",
                    a.shape().DebugString(), " and ", b.shape().DebugString()));
    MatMulArgs args;
    args.transpose_a = transpose_a_;
    args.transpose_b = transpose_b_;
    args.m = a.dim_size(transpose_a_ ? 1 : 0);
    args.k = a.dim_size(transpose_a_ ? 0 : 1);
    args.n = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(ctx, args.k == b.dim_size(transpose_b_ ? 1 : 0),
                errors::InvalidArgument(
                    "SparseMatMul: Matrix size-incompatible: a: ",
                    a.shape().DebugString(), ", b: ", b.shape().DebugString()));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({args.m, args.n}), &product));
    if (product->NumElements() == 0) return;
    float* c = product->base<float>();
    if (args.k == 0) {
      std::fill_n(c, product->NumElements(), 0.0f);
      return;
    }
    Tensor a_buffer, b_buffer;
    const float *a_floats, *b_floats;
    OP_REQUIRES_OK(ctx, AsFloats<TA>(ctx, a, &a_buffer, &a_floats));
    OP_REQUIRES_OK(ctx, AsFloats<TB>(ctx, b, &b_buffer, &b_floats));
    if (a_is_sparse_ && !transpose_b_ &&
        RunWide<CountNonzeroLoop>(a_floats, a.NumElements()) * kSparseA <
            a.NumElements()) {
      MultiplySparseA(ctx, args, a_floats, b_floats, c);
    } else if (b_is_sparse_ &&
               RunWide<CountNonzeroLoop>(b_floats, b.NumElements()) * kSparseB <
                   b.NumElements()) {
      MultiplySparseB(ctx, args, a_floats, b_floats, c);
    } else {
      OP_REQUIRES_OK(ctx, MatMulFloat(ctx, args, a_floats, b_floats, c));
    }
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
  bool a_is_sparse_ = false;
  bool b_is_sparse_ = false;
};

template <typename TA>
struct SparseMatMulBy {
  template <typename TB>
  using Op = SparseMatMulOp<TA, TB>;
};

REGISTER_KERNEL_FOR_TYPES(
    Name("SparseMatMul").Device(DEVICE_CPU).TypeConstraint<float>("Ta"), "Tb",
    SparseMatMulBy<float>::Op, float, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("SparseMatMul")
                              .Device(DEVICE_CPU)
                              .TypeConstraint<Eigen::bfloat16>("Ta"),
                          "Tb", SparseMatMulBy<Eigen::bfloat16>::Op, float,
                          Eigen::bfloat16);

}  // namespace tensorwright
