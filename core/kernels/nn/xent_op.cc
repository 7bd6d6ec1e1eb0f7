// SPDX-License-Identifier: Apache-2.0
// The kernel of SoftmaxCrossEntropyWithLogits.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/nn/softmax_op.h"
#include "core/kernels/nn/xent_op_shapes.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A [batch, classes] view of a tensor that may be broadcast along either
// dimension.
template <typename T>
struct RowsView {
  const T* data;
  int64_t row_step;
  int64_t col_step;
};

template <typename T>
RowsView<T> ViewRows(const Tensor& t) {
  const int rank = t.dims();
  const int64_t cols = rank >= 1 ? t.dim_size(rank - 1) : 1;
  const int64_t rows = rank >= 2 ? t.dim_size(rank - 2) : 1;
  return {t.base<T>(), rows == 1 ? 0 : cols, cols == 1 ? 0 : 1};
}

// loss[r] = sum of labels * (log(sum of exp(x)) - x); backprop = softmax -
// labels.  x is the features minus their maximum.
template <typename T>
void XentRows(const RowsView<T>& features, const RowsView<T>& labels,
              int64_t begin, int64_t end, int64_t classes, T* loss,
              T* backprop) {
  using C = ComputeType<T>;
  const int64_t block = std::min(end - begin, SoftmaxBlockRows(classes));
  std::vector<C> x(block * classes), exps(block * classes), shifts(block),
      sums(block);
  for (int64_t r0 = begin; r0 < end; r0 += block) {
    const int64_t n = std::min(block, end - r0);
    for (int64_t r = 0; r < n; ++r) {
      const T* from = features.data + (r0 + r) * features.row_step;
      for (int64_t i = 0; i < classes; ++i) {
        x[r * classes + i] = static_cast<C>(from[i * features.col_step]);
      }
    }
    ExpAndSumRows(n, classes, x.data(), exps.data(), shifts.data(),
                  sums.data());
    for (int64_t r = 0; r < n; ++r) {
      const T* label = labels.data + (r0 + r) * labels.row_step;
      const C log_sum = std::log(sums[r]), scale = C(1) / sums[r];
      const C shift = shifts[r];
      C total(0);
      T* to = backprop + (r0 + r) * classes;
      for (int64_t i = 0; i < classes; ++i) {
        const C l = static_cast<C>(label[i * labels.col_step]);
        // A label of 0 adds nothing, even if the term is infinite.
        if (l != C(0)) total += l * (log_sum - (x[r * classes + i] - shift));
        to[i] = static_cast<T>(exps[r * classes + i] * scale - l);
      }
      loss[r0 + r] = static_cast<T>(total);
    }
  }
}

}  // namespace

template <typename T>
class SoftmaxXentWithLogitsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& features = ctx->input(0);
    const Tensor& labels = ctx->input(1);
    int64_t batch = 0, classes = 0;
    OP_REQUIRES_OK(
        ctx, XentSizes(features.shape(), labels.shape(), &batch, &classes));
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({batch}), &loss));
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(1, TensorShape({batch, classes}), &backprop));
    if (batch == 0) return;
    if (classes == 0) {  // A sum of nothing.
      std::fill_n(loss->base<T>(), batch, T(0));
      return;
    }
    const auto x = ViewRows<T>(features), l = ViewRows<T>(labels);
    T* loss_to = loss->base<T>();
    T* backprop_to = backprop->base<T>();
    const auto run = [=](int64_t begin, int64_t end) {
      XentRows(x, l, begin, end, classes, loss_to, backprop_to);
    };
    ParallelFor(ctx, batch, classes * 8 + 20, run);
  }
};

REGISTER_KERNEL_FOR_TYPES(
    Name("SoftmaxCrossEntropyWithLogits").Device(DEVICE_CPU), "T",
    SoftmaxXentWithLogitsOp, Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
