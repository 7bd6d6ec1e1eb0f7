// SPDX-License-Identifier: Apache-2.0
// The kernel of L2Loss.

#include <algorithm>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/reduction_ops.h"

namespace tensorwright {
namespace {

// Sums squares block by block.  outer and inner are 1 here.
template <typename T, typename C>
void SquaresLoop(const void* x, void* out, int64_t outer, int64_t reduce,
                 int64_t inner, int64_t /*row*/) {
  constexpr int64_t kBlock = 1024;
  const T* in = static_cast<const T*>(x);
  const int64_t n = outer * reduce * inner;
  C squares[kBlock], total(0);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t size = std::min(kBlock, n - i);
    for (int64_t j = 0; j < size; ++j) {
      const C value = static_cast<C>(in[i + j]);
      squares[j] = value * value;
    }
    total += ReduceRun<SumReducer, C>(squares, size);
  }
  *static_cast<C*>(out) = total;
}

template <typename C, typename T>
void FinishHalf(const void* sums, void* out, int64_t, int64_t) {
  *static_cast<T*>(out) = static_cast<T>(*static_cast<const C*>(sums) * C(0.5));
}

}  // namespace

template <typename T>
class L2LossOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    using C = ComputeType<T>;
    const Tensor& t = ctx->input(0);
    Tensor* loss = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &loss));
    const ReductionLoops loops = {&SquaresLoop<T, C>,
                                  &ReductionLoop<SumReducer, C, C>,
                                  &FinishHalf<C, T>, DataTypeToEnum<C>::value};
    C sum(0);
    OP_REQUIRES_OK(ctx, ReduceOnePass(ctx, loops.first, loops, t.data(),
                                      sizeof(T), 1, t.NumElements(), 1, &sum));
    loops.finish(&sum, loss->data(), 1, 1);
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("L2Loss").Device(DEVICE_CPU), "T", L2LossOp,
                          Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
