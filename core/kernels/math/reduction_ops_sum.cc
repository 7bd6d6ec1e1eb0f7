// SPDX-License-Identifier: Apache-2.0
// Kernels of Sum and Mean.

#include <complex>
#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/util/elementwise.h"

namespace tensorwright {
namespace {

// Sums n consecutive complex numbers as a strip of columns, with the parts
// apart; more than a block is summed in halves, as ReduceRun does.
template <typename R>
std::complex<R> SumRun(const std::complex<R>* x, int64_t n) {
  constexpr int64_t kBlock = 4096, kColumns = kReduceStrip / 2;
  if (n > kBlock) {
    const int64_t half = n / 2 / kBlock * kBlock + (n < 2 * kBlock) * kBlock;
    return SumRun(x, half) + SumRun(x + half, n - half);
  }
  R sums[kReduceStrip];
  const int64_t rows = n / kColumns;
  ReduceColumns<SumReducer>(reinterpret_cast<const R*>(x), sums, rows,
                            kReduceStrip, kReduceStrip);
  R re = 0, im = 0;
  for (int64_t j = 0; j < kReduceStrip; j += 2) {
    re += sums[j];
    im += sums[j + 1];
  }
  std::complex<R> sum(re, im);
  for (int64_t i = rows * kColumns; i < n; ++i) sum += x[i];
  return sum;
}

// Sums complex numbers as twice as many real ones.
template <typename R>
void ComplexSumLoop(const void* x, void* out, int64_t outer, int64_t reduce,
                    int64_t inner, int64_t row) {
  using C = std::complex<R>;
  constexpr int64_t kShortRun = 64;
  if (inner > 1 || row > 1) {
    return ReductionLoop<SumReducer, R, R>(x, out, outer, reduce, 2 * inner,
                                           2 * row);
  }
  if (reduce < kShortRun) {
    return ReductionLoop<SumReducer, C, C>(x, out, outer, reduce, inner, row);
  }
  for (int64_t o = 0; o < outer; ++o) {
    static_cast<C*>(out)[o] =
        SumRun(static_cast<const C*>(x) + o * reduce, reduce);
  }
}

template <typename C>
ReductionLoops ComplexSumLoops(ReductionFinishFn finish) {
  const ReductionLoopFn loop = &ComplexSumLoop<typename C::value_type>;
  return {loop, loop, finish, DataTypeToEnum<C>::value};
}

}  // namespace

template <typename C>
class ComplexSumOp final : public ReductionOpBase {
 public:
  explicit ComplexSumOp(OpKernelConstruction* ctx)
      : ReductionOpBase(ctx, ComplexSumLoops<C>(&FinishByRounding<C, C>),
                        /*always_finishes=*/false) {}
};

template <typename C>
class ComplexMeanOp final : public ReductionOpBase {
 public:
  explicit ComplexMeanOp(OpKernelConstruction* ctx)
      : ReductionOpBase(ctx, ComplexSumLoops<C>(&FinishMean<C, C>),
                        /*always_finishes=*/true) {}
};

template <typename T>
class MeanOp final : public ReductionOpBase {
 public:
  explicit MeanOp(OpKernelConstruction* ctx)
      : ReductionOpBase(ctx, MeanLoopsOf<T>(), /*always_finishes=*/true) {}
};

REGISTER_KERNEL_FOR_TYPES(
    Name("Sum").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    Reduction<SumReducer>::Op, int8, int16, int32, int64_t, uint8, uint16,
    uint32, uint64, Eigen::half, Eigen::bfloat16, float, double);
const ElementwiseRegistrar sum_traits("Sum", ElementwiseKind::kReduce);
const ElementwiseRegistrar mean_traits("Mean", ElementwiseKind::kReduce);
REGISTER_KERNEL_FOR_TYPES(
    Name("Sum").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    ComplexSumOp, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("Mean").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    MeanOp, int8, int16, int32, int64_t, uint8, uint16, uint32, uint64,
    Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("Mean").Device(DEVICE_CPU).HostMemory("reduction_indices"), "T",
    ComplexMeanOp, complex64, complex128);

}  // namespace tensorwright
