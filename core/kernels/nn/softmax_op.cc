// SPDX-License-Identifier: Apache-2.0
// Kernels of Softmax and LogSoftmax.

#include "core/kernels/nn/softmax_op.h"

#include <cmath>
#include <functional>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// out = softmax(x), or the logarithm of it, for a block of rows.  out may be x;
// exps is out, or scratch memory for the logarithm.
template <typename C>
void SoftmaxBlock(int64_t rows, int64_t classes, bool log, const C* x, C* exps,
                  C* shifts, C* sums, C* out) {
  ExpAndSumRows(rows, classes, x, exps, shifts, sums);
  for (int64_t r = 0; r < rows; ++r, x += classes, out += classes) {
    if (log) {
      // Subtracts in two steps, because one would lose the digits of a small
      // logarithm.
      const C log_sum = std::log(sums[r]), shift = shifts[r];
      for (int64_t i = 0; i < classes; ++i) out[i] = (x[i] - shift) - log_sum;
    } else {
      ScaleRow(C(1) / sums[r], classes, out);
    }
  }
}

template <typename T>
void SoftmaxRows(const T* logits, int64_t rows, int64_t classes, bool log,
                 T* out) {
  using C = ComputeType<T>;
  constexpr bool kWidens = !std::is_same_v<C, T>;
  const int64_t block = std::min(rows, SoftmaxBlockRows(classes));
  const int64_t size = block * classes;
  std::vector<C> wide(kWidens ? size : 0), scratch(log ? size : 0);
  std::vector<C> shifts(block), sums(block);
  for (int64_t r = 0; r < rows; r += block) {
    const int64_t n = std::min(block, rows - r) * classes;
    const T* from = logits + r * classes;
    T* to = out + r * classes;
    if constexpr (kWidens) {
      for (int64_t i = 0; i < n; ++i) wide[i] = static_cast<C>(from[i]);
      SoftmaxBlock(n / classes, classes, log, wide.data(),
                   log ? scratch.data() : wide.data(), shifts.data(),
                   sums.data(), wide.data());
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(wide[i]);
    } else {
      SoftmaxBlock(n / classes, classes, log, from, log ? scratch.data() : to,
                   shifts.data(), sums.data(), to);
    }
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
    ParallelFor(ctx, logits.NumElements() / classes, classes * 5 + 10, run);
  }

 private:
  const bool log_;
};

REGISTER_KERNEL_FOR_TYPES(Name("Softmax").Device(DEVICE_CPU), "T", SoftmaxOp,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("LogSoftmax").Device(DEVICE_CPU), "T", SoftmaxOp,
                          Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
