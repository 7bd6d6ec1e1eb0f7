// SPDX-License-Identifier: Apache-2.0
// Kernels of EuclideanNorm.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/reduction_ops.h"

namespace tensorwright {
namespace {

// An element that a sum reads as its squared absolute value.  Integers wrap, as
// products of theirs do; an infinite complex number has no imaginary part.
template <typename T>
struct Squared {
  using A = ComputeType<T>;

  explicit operator A() const {
    const A x = static_cast<A>(value);
    return functor::Product(x, functor::Conjugate(x));
  }

  T value;
};

// A sum that wrapped below 0 has no root: it gives what x86 converts a NaN to.
template <typename A>
A RootOfInteger(A sum) {
  if constexpr (std::is_signed_v<A>) {
    if (sum < 0) {
      using Wide = std::conditional_t<sizeof(A) == 8, int64_t, int32_t>;
      return static_cast<A>(std::numeric_limits<Wide>::min());
    }
  }
  return static_cast<A>(std::sqrt(static_cast<double>(sum)));
}

template <typename A, typename T>
void FinishRoots(const void* sums, void* out, int64_t n, int64_t) {
  const A* in = static_cast<const A*>(sums);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<A>) {
      to[i] = RootOfInteger(in[i]);
    } else {
      to[i] = static_cast<T>(std::sqrt(in[i]));
    }
  }
}

template <typename T>
ReductionLoops NormLoopsOf() {
  using A = ComputeType<T>;
  ReductionLoops loops = {&ReductionLoop<SumReducer, A, Squared<T>>,
                          &ReductionLoop<SumReducer, A, A>, &FinishRoots<A, T>,
                          DataTypeToEnum<A>::value};
  loops.changes_one = true;
  return loops;
}

}  // namespace

template <typename T>
class EuclideanNormOp final : public ReductionOpBase {
 public:
  explicit EuclideanNormOp(OpKernelConstruction* ctx)
      : ReductionOpBase(ctx, NormLoopsOf<T>(), /*always_finishes=*/true) {}
};

REGISTER_KERNEL_FOR_TYPES(
    Name("EuclideanNorm").Device(DEVICE_CPU).HostMemory("reduction_indices"),
    "T", EuclideanNormOp, int8, int16, int32, int64_t, uint8, uint16, uint32,
    uint64, Eigen::half, Eigen::bfloat16, float, double, complex64, complex128);

}  // namespace tensorwright
