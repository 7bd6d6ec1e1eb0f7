// SPDX-License-Identifier: Apache-2.0
// Kernels of Softmax and LogSoftmax.

#include "core/kernels/softmax_op.h"

#include <cmath>
#include <functional>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A block of rows in place: x becomes its softmax, or the logarithm of it.
template <typename C>
void SoftmaxBlock(int64_t rows, int64_t classes, bool log, C* x, C* exps,
                  C* sums) {
  ShiftRowsByMax(rows, classes, x);
  ExpAndSumRows(rows, classes, x, log ? exps : x, sums);
  for (int64_t r = 0; r < rows; ++r, x += classes) {
    if (log) {
      const C shift = std::log(sums[r]);
      for (int64_t i = 0; i < classes; ++i) x[i] -= shift;
    } else {
      const C scale = C(1) / sums[r];
      for (int64_t i = 0; i < classes; ++i) x[i] *= scale;
    }
  }
}

template <typename T>
void SoftmaxRows(const T* logits, int64_t rows, int64_t classes, bool log,
                 T* out) {
  using C = ComputeType<T>;
  const int64_t block = std::min(rows, SoftmaxBlockRows(classes));
  std::vector<C> x(block * classes), exps(log ? block * classes : 0),
      sums(block);
  for (int64_t r = 0; r < rows; r += block) {
    const int64_t n = std::min(block, rows - r);
    const T* from = logits + r * classes;
    for (int64_t i = 0; i < n * classes; ++i) x[i] = static_cast<C>(from[i]);
    SoftmaxBlock(n, classes, log, x.data(), exps.data(), sums.data());
    T* to = out + r * classes;
    for (int64_t i = 0; i < n * classes; ++i) to[i] = static_cast<T>(x[i]);
  }
}

}  // namespace

template <typename T>
class SoftmaxOp final : public OpKernel {
 public:
  explicit SoftmaxOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), log_(type_string() == "LogSoftmax") {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& logits = ctx->input(0);
    OP_REQUIRES(ctx, logits.dims() >= 1,
                errors::InvalidArgument(
                    type_string(), ": logits must have >= 1 dimension, got ",
                    logits.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, logits.shape(), &out));
    if (out->NumElements() == 0) return;
    const int64_t classes = logits.dim_size(logits.dims() - 1);
    const T* from = logits.base<T>();
    T* to = out->base<T>();
    const auto run = [=, this](int64_t begin, int64_t end) {
      SoftmaxRows(from + begin * classes, end - begin, classes, log_,
                  to + begin * classes);
    };
    ParallelFor(ctx, logits.NumElements() / classes, classes * 5 + 10,
                std::ref(run));
  }

 private:
  const bool log_;
};

REGISTER_KERNEL_FOR_TYPES(Name("Softmax").Device(DEVICE_CPU), "T", SoftmaxOp,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("LogSoftmax").Device(DEVICE_CPU), "T", SoftmaxOp,
                          Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
