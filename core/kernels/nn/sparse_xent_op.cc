// SPDX-License-Identifier: Apache-2.0
// The kernel of SparseSoftmaxCrossEntropyWithLogits.

#include <cmath>
#include <functional>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/nn/softmax_op.h"
#include "core/kernels/nn/sparse_xent_op_shapes.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// loss[r] = log(sum of exp(x[r, :])) - x[r, label]; backprop = softmax, minus 1
// at the label.  x is the features minus their maximum; features: [rows,
// classes].
template <typename T, typename Index>
void SparseXentRows(const T* features, const Index* labels, int64_t rows,
                    int64_t classes, T* loss, T* backprop) {
  using C = ComputeType<T>;
  const int64_t block = std::min(rows, SoftmaxBlockRows(classes));
  std::vector<C> x(block * classes), exps(block * classes), shifts(block),
      sums(block);
  for (int64_t r0 = 0; r0 < rows; r0 += block) {
    const int64_t n = std::min(block, rows - r0);
    const T* from = features + r0 * classes;
    for (int64_t i = 0; i < n * classes; ++i) x[i] = static_cast<C>(from[i]);
    ExpAndSumRows(n, classes, x.data(), exps.data(), shifts.data(),
                  sums.data());
    for (int64_t r = 0; r < n; ++r) {
      const int64_t label = static_cast<int64_t>(labels[r0 + r]);
      const C scale = C(1) / sums[r];
      const C* e = exps.data() + r * classes;
      T* to = backprop + (r0 + r) * classes;
      for (int64_t i = 0; i < classes; ++i)
        to[i] = static_cast<T>(e[i] * scale);
      to[label] = static_cast<T>(e[label] * scale - C(1));
      loss[r0 + r] = static_cast<T>(std::log(sums[r]) -
                                    (x[r * classes + label] - shifts[r]));
    }
  }
}

}  // namespace

template <typename T>
class SparseSoftmaxXentWithLogitsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& features = ctx->input(0);
    const Tensor& labels = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckSparseXent(features.shape(), labels.shape()));
    const int64_t batch = features.dim_size(0);
    Tensor* loss = nullptr;
    Tensor* backprop = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, labels.shape(), &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, features.shape(), &backprop));
    if (batch == 0) return;
    if (labels.dtype() == DT_INT32) {
      OP_REQUIRES_OK(ctx, Run<int32>(ctx, features, labels, loss, backprop));
    } else {
      OP_REQUIRES_OK(ctx, Run<int64_t>(ctx, features, labels, loss, backprop));
    }
  }

 private:
  template <typename Index>
  static Status Run(OpKernelContext* ctx, const Tensor& features,
                    const Tensor& labels, Tensor* loss, Tensor* backprop) {
    const int64_t classes = features.dim_size(1);
    for (Index label : Flat<Index>(labels)) {
      if (label >= 0 && static_cast<int64_t>(label) < classes) continue;
      return errors::InvalidArgument(
          "SparseSoftmaxCrossEntropyWithLogits: Received a label value of ",
          static_cast<int64_t>(label),
          " which is outside the valid range of [0, ", classes, ")");
    }
    const T* x = features.base<T>();
    const Index* l = labels.base<Index>();
    T* loss_to = loss->base<T>();
    T* backprop_to = backprop->base<T>();
    const auto run = [=](int64_t begin, int64_t end) {
      SparseXentRows(x + begin * classes, l + begin, end - begin, classes,
                     loss_to + begin, backprop_to + begin * classes);
    };
    ParallelFor(ctx, features.dim_size(0), classes * 8 + 20, run);
    return OkStatus();
  }
};

REGISTER_KERNEL_FOR_TYPES(
    Name("SparseSoftmaxCrossEntropyWithLogits").Device(DEVICE_CPU), "T",
    SparseSoftmaxXentWithLogitsOp, Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
