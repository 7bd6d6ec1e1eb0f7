// SPDX-License-Identifier: Apache-2.0
// The kernel of Einsum.
//
// An operand is a strided view whose dimensions have one label each: a diagonal
// or a transpose is another view.  Labels that one operand alone has and the
// output lacks are summed first; two operands are then one batched matrix
// product, or an elementwise one if nothing is summed.  A view is copied only
// if the next step needs its elements in an order that they do not have.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/kernels/math/einsum_op_operand.h"
#include "core/kernels/math/matmul_op.h"
#include "core/util/einsum_equation.h"
#include "core/util/work_sharder.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace {

using einsum::Distinct;
using einsum::Holds;
using einsum::Joined;
using einsum::Operand;
using einsum::Sizes;

// Sums over the labels that are not in `keep`.
template <typename T>
Status SumAway(OpKernelContext* ctx, const Sizes& sizes,
               const EinsumLabels& keep, Operand* operand) {
  EinsumLabels kept, gone;
  for (const int label : operand->labels) {
    (Holds(keep, label) ? kept : gone).push_back(label);
  }
  if (gone.empty()) return OkStatus();
  int64_t outer = sizes.Product(kept), inner = 1;
  if (operand->IsIn(Joined({gone, kept}), sizes)) {
    std::swap(outer, inner);
  } else {
    TF_RETURN_IF_ERROR(operand->Arrange(ctx, Joined({kept, gone}), sizes));
  }
  TensorShape shape;
  TF_RETURN_IF_ERROR(sizes.ShapeOf(kept, &shape));
  Tensor sums;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(operand->tensor.dtype(), shape, &sums));
  if (operand->tensor.NumElements() == 0) {
    std::fill_n(sums.base<T>(), sums.NumElements(), T(0));
  } else {
    TF_RETURN_IF_ERROR(ReduceWith(ctx, LoopsOf<SumReducer, T>(),
                                  operand->tensor, outer, sizes.Product(gone),
                                  inner, &sums));
  }
  *operand = Operand::Dense(std::move(sums), std::move(kept), sizes);
  return OkStatus();
}

// Brings the elements into memory as matrices [batch, rows, columns] or [batch,
// columns, rows]; `transposed` says which.
Status AsMatrices(OpKernelContext* ctx, const Sizes& sizes,
                  const EinsumLabels& batch, const EinsumLabels& rows,
                  const EinsumLabels& columns, Operand* operand,
                  bool* transposed) {
  const EinsumLabels straight = Joined({batch, rows, columns});
  const EinsumLabels across = Joined({batch, columns, rows});
  *transposed = false;
  if (!operand->IsIn(straight, sizes)) {
    // The copy with the longer runs is faster.
    const auto run = [&](const EinsumLabels& order) {
      const StridedView view = operand->View(order, sizes);
      return view.strides.back() == 1 ? view.sizes.back() : 0;
    };
    *transposed = operand->IsIn(across, sizes) || run(across) > run(straight);
  }
  return operand->Arrange(ctx, *transposed ? across : straight, sizes);
}

// out[i] = the product of element i of both views.
template <typename T>
void MultiplyViews(OpKernelContext* ctx, const T* a, const StridedView& a_view,
                   const T* b, const StridedView& b_view, T* out) {
  const int64_t inner = b_view.sizes.back(), stride = b_view.strides.back();
  const int64_t row_stride =
      b_view.strides.size() > 1 ? b_view.strides[b_view.strides.size() - 2] : 0;
  const auto run = [=](int64_t at, int64_t from, int64_t n) {
    const T* factor = b + from;
    T* to = out + at;
    for (int64_t i = 0; i < n; ++i) {
      to[i] = functor::Product(to[i], factor[i * stride]);
    }
  };
  const auto rows = [=](int64_t at, int64_t from, int64_t n) {
    for (int64_t r = 0; r < n; ++r) {
      run(at + r * inner, from + r * row_stride, inner);
    }
  };
  CopyFromView(ctx, a, a_view, out);
  ParallelFor(ctx, b_view.NumElements(), 2, [&](int64_t begin, int64_t end) {
    ForEachRun(b_view, begin, end, run, rows);
  });
}

// Labels by the tensors that have them; each kind is in the output's order.
struct Contraction {
  EinsumLabels batch;    // In both operands and the output.
  EinsumLabels inner;    // In both operands, which are summed over these.
  EinsumLabels rows;     // In the first operand and the output.
  EinsumLabels columns;  // In the second operand and the output.

  Contraction(const Operand& a, const Operand& b, const EinsumLabels& output) {
    for (const int label : Distinct(output)) {
      const bool in_a = Holds(a.labels, label), in_b = Holds(b.labels, label);
      (in_a && in_b ? batch : in_a ? rows : columns).push_back(label);
    }
    // The order in which the larger operand needs no copy, if there is one.
    const Operand& larger =
        a.tensor.NumElements() >= b.tensor.NumElements() ? a : b;
    for (const int label : larger.labels) {
      if (!Holds(output, label)) inner.push_back(label);
    }
  }
};

// Multiplies two operands if nothing is summed; the product is in the output's
// order.
template <typename T>
Status MultiplyElements(OpKernelContext* ctx, const Sizes& sizes,
                        const Operand& a, const Operand& b, Operand* result) {
  const EinsumLabels order = Distinct(sizes.output());
  TensorShape shape;
  TF_RETURN_IF_ERROR(sizes.ShapeOf(order, &shape));
  Tensor product;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(a.tensor.dtype(), shape, &product));
  if (product.NumElements() > 0) {
    MultiplyViews(ctx, a.tensor.base<T>(), a.View(order, sizes),
                  b.tensor.base<T>(), b.View(order, sizes), product.base<T>());
  }
  *result = Operand::Dense(std::move(product), order, sizes);
  return OkStatus();
}

// Multiplies two operands, each of whose labels the other operand or the output
// has.
template <typename T>
Status Multiply(OpKernelContext* ctx, const Sizes& sizes, Operand a, Operand b,
                Operand* result) {
  Contraction parts(a, b, sizes.output());
  if (parts.inner.empty()) {
    return MultiplyElements<T>(ctx, sizes, a, b, result);
  }
  // If the output has the columns first, the operands change places, so that
  // the product is in the output's order.
  const EinsumLabels& output = sizes.output();
  if (!parts.rows.empty() && !parts.columns.empty() &&
      std::find(output.begin(), output.end(), parts.columns.front()) <
          std::find(output.begin(), output.end(), parts.rows.front())) {
    std::swap(a, b);
    std::swap(parts.rows, parts.columns);
  }
  MatMulArgs args;
  args.batch = sizes.Product(parts.batch);
  args.m = sizes.Product(parts.rows);
  args.n = sizes.Product(parts.columns);
  args.k = sizes.Product(parts.inner);
  TF_RETURN_IF_ERROR(AsMatrices(ctx, sizes, parts.batch, parts.rows,
                                parts.inner, &a, &args.transpose_a));
  TF_RETURN_IF_ERROR(AsMatrices(ctx, sizes, parts.batch, parts.inner,
                                parts.columns, &b, &args.transpose_b));
  EinsumLabels order = Joined({parts.batch, parts.rows, parts.columns});
  TensorShape shape;
  TF_RETURN_IF_ERROR(sizes.ShapeOf(order, &shape));
  Tensor product;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(a.tensor.dtype(), shape, &product));
  TF_RETURN_IF_ERROR(
      MatrixProducts<T>(ctx, args, a.tensor, b.tensor, &product));
  *result = Operand::Dense(std::move(product), std::move(order), sizes);
  return OkStatus();
}

}  // namespace

// inputs: one or two tensors -> output, according to the equation.
template <typename T>
class EinsumOp final : public OpKernel,
                       public OneDnnUnlessWide<T, dnnl::matmul> {
 public:
  explicit EinsumOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string text;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("equation", &text));
    OP_REQUIRES_OK(ctx,
                   ParseEinsumEquation(text, ctx->num_inputs(), &equation_));
  }

  void Compute(OpKernelContext* ctx) override {
    Sizes sizes;
    OP_REQUIRES_OK(ctx, sizes.Match(ctx, equation_));
    const int n = ctx->num_inputs();
    std::vector<Operand> operands;
    for (int i = 0; i < n; ++i) {
      operands.push_back(Operand::Input(ctx->input(i), i, sizes));
    }
    for (int i = 0; i < n; ++i) {
      EinsumLabels keep = sizes.output();
      if (n == 2) keep = Joined({keep, operands[1 - i].labels});
      OP_REQUIRES_OK(ctx, SumAway<T>(ctx, sizes, keep, &operands[i]));
    }
    Operand result = operands[0];
    if (n == 2) {
      OP_REQUIRES_OK(
          ctx, Multiply<T>(ctx, sizes, operands[0], operands[1], &result));
    }
    OP_REQUIRES_OK(ctx, result.Write(ctx, sizes));
  }

 private:
  EinsumEquation equation_;
};

REGISTER_KERNEL_FOR_TYPES(Name("Einsum").Device(DEVICE_CPU), "T", EinsumOp,
                          float, Eigen::half, Eigen::bfloat16, double, int32,
                          int64_t, complex64, complex128);

}  // namespace tensorwright
