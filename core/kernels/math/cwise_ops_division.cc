// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of two arguments: quotients, remainders and powers.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_ops_half.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/math/cwise_ops_quotient.h"

namespace tensorwright {
namespace {

enum class Division { kTruncated, kFloored, kRemainder, kFlooredRemainder };

// Divides integers of up to 32 bits by vectors of floats (doubles, for 32
// bits).  The nearest such number to x / y is on the same side of each whole
// number as x / y is, because x / y differs from a whole number by at least 1 /
// |y| unless it is one.
template <Division kDivision>
struct IntegerDivisionLoop {
  // Returns false and does nothing if a divisor is 0.
  template <typename T>
  TW_WIDE_LOOP static bool Run(const T* x, const T* y, T* z, int64_t n) {
    using Real = std::conditional_t<sizeof(T) == 4, double, float>;
    using functor::Wrap;
    int zeros = 0;
    for (int64_t i = 0; i < n; ++i) zeros |= y[i] == T(0) ? 1 : 0;
    if (zeros != 0) return false;
    constexpr bool kFloor = kDivision == Division::kFloored ||
                            kDivision == Division::kFlooredRemainder;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const T a = x[i], b = y[i];
      // The most negative number divided by -1 does not fit T; it wraps.
      const bool minus_one = std::is_signed_v<T> && b == static_cast<T>(-1);
      const Real ratio =
          (minus_one ? Real(0) : static_cast<Real>(a)) / static_cast<Real>(b);
      const T q = static_cast<T>(
          static_cast<int32_t>(kFloor ? std::floor(ratio) : ratio));
      if constexpr (kDivision == Division::kTruncated ||
                    kDivision == Division::kFloored) {
        z[i] = minus_one ? static_cast<T>(Wrap<T>(0) - Wrap<T>(a)) : q;
      } else {
        const T r = static_cast<T>(Wrap<T>(a) - Wrap<T>(q) * Wrap<T>(b));
        z[i] = minus_one ? T(0) : r;
      }
    }
    return true;
  }
};

// Computes remainders of floats in doubles, in which the quotient times y is
// exact and no quotient rounds up to a whole number.  Returns false if an
// argument is out of that range, infinite or NaN; then z means nothing.
template <Division kDivision>
struct FloatRemainderLoop {
  TW_WIDE_LOOP static bool Run(const float* x, const float* y, float* z,
                               int64_t n) {
    constexpr double kMost = 1 << 28;
    constexpr double kFinite = std::numeric_limits<float>::max();
    int odd = 0;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const double a = x[i], b = y[i];
      const double q = std::trunc(a / b);
      odd |= (std::fabs(q) < kMost ? 0 : 1) | (std::fabs(b) <= kFinite ? 0 : 1);
      const float r = std::copysign(static_cast<float>(a - q * b), x[i]);
      const bool other = r != 0 && (r < 0) != (y[i] < 0);
      z[i] = kDivision == Division::kFlooredRemainder && other ? r + y[i] : r;
    }
    return odd == 0;
  }
};

constexpr int64_t kDivisionBlock = 512;

// Returns the next block of an argument, whose step is 0 or 1: its address in
// x, or `buffer`, which the first call fills.
template <typename T>
const T* NextBlock(const T* x, int step, int64_t at, int64_t n, T* buffer) {
  if (step != 0) return x + at;
  if (at == 0) std::fill_n(buffer, n, *x);
  return buffer;
}

// A BinaryLoopFn; false if a divisor is 0.
template <Division kDivision, typename T>
bool DivideIntegers(const void* x, const void* y, void* z, int64_t n,
                    int x_step, int y_step) {
  T left[kDivisionBlock], right[kDivisionBlock];
  T* out = static_cast<T*>(z);
  for (int64_t i = 0; i < n; i += kDivisionBlock) {
    const int64_t m = std::min(kDivisionBlock, n - i);
    const T* a = NextBlock(static_cast<const T*>(x), x_step, i, m, left);
    const T* b = NextBlock(static_cast<const T*>(y), y_step, i, m, right);
    if (!RunWide<IntegerDivisionLoop<kDivision>>(a, b, out + i, m)) {
      return false;
    }
  }
  return true;
}

template <template <typename> class F, Division kDivision>
void FloatRemainders(const float* a, const float* b, float* z, int64_t n) {
  float result[kDivisionBlock];
  if (RunWide<FloatRemainderLoop<kDivision>>(a, b, &result[0], n)) {
    std::copy_n(result, n, z);
  } else {
    for (int64_t i = 0; i < n; ++i) z[i] = F<float>()(a[i], b[i]);
  }
}

// z[i] = base[i]^exponents[i], modulo 2^bits, by squaring.  The loop overwrites
// base and exponents.  Exponents are not negative.
struct PowLoop {
  template <typename U>
  TW_WIDE_LOOP static void Run(U* base, U* exponents, U* z, int64_t n) {
    std::fill_n(z, n, U(1));
    for (U left = 1; left != 0;) {
      left = 0;
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        const U power = static_cast<U>(functor::Wrap<U>(z[i]) * base[i]);
        z[i] = exponents[i] & 1 ? power : z[i];
        base[i] = static_cast<U>(functor::Wrap<U>(base[i]) * base[i]);
        exponents[i] = static_cast<U>(exponents[i] >> 1);
        left |= exponents[i];
      }
    }
  }
};

// A BinaryLoopFn; false if an exponent is negative.
template <typename T>
bool PowersOfIntegers(const void* x, const void* y, void* z, int64_t n,
                      int x_step, int y_step) {
  using U = std::make_unsigned_t<T>;
  U base[kDivisionBlock], exponents[kDivisionBlock], result[kDivisionBlock];
  T left[kDivisionBlock], right[kDivisionBlock];
  for (int64_t i = 0; i < n; i += kDivisionBlock) {
    const int64_t m = std::min(kDivisionBlock, n - i);
    const T* a = NextBlock(static_cast<const T*>(x), x_step, i, m, left);
    const T* b = NextBlock(static_cast<const T*>(y), y_step, i, m, right);
    if (*std::min_element(b, b + m) < 0) return false;
    std::copy_n(a, m, base);
    std::copy_n(b, m, exponents);
    RunWide<PowLoop>(&base[0], &exponents[0], &result[0], m);
    std::copy_n(result, m, static_cast<T*>(z) + i);
  }
  return true;
}

// A BinaryLoopFn for float, half or bfloat16.
template <template <typename> class F, Division kDivision, typename T>
bool RemaindersOfFloats(const void* x, const void* y, void* z, int64_t n,
                        int x_step, int y_step) {
  T left[kDivisionBlock], right[kDivisionBlock];
  T* out = static_cast<T*>(z);
  for (int64_t i = 0; i < n; i += kDivisionBlock) {
    const int64_t m = std::min(kDivisionBlock, n - i);
    const T* a = NextBlock(static_cast<const T*>(x), x_step, i, m, left);
    const T* b = NextBlock(static_cast<const T*>(y), y_step, i, m, right);
    if constexpr (kIsNarrowFloat<T>) {
      float u[kDivisionBlock], v[kDivisionBlock];
      WidenFloats(a, u, m);
      WidenFloats(b, v, m);
      FloatRemainders<F, kDivision>(u, v, u, m);
      NarrowFloats(u, out + i, m);
    } else {
      FloatRemainders<F, kDivision>(a, b, out + i, m);
    }
  }
  return true;
}

}  // namespace

template <Division kDivision, int kCost>
struct DivideInVectors {
  template <typename T>
  class Op final : public BinaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : BinaryOpBase(ctx, &DivideIntegers<kDivision, T>,
                       functor::kDivisionByZero, kCost) {}
  };
};

template <template <typename> class F, Division kDivision>
struct RemainderInVectors {
  template <typename T>
  class Op final : public BinaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : BinaryOpBase(ctx, &RemaindersOfFloats<F, kDivision, T>, "",
                       /*cost=*/3) {}
  };
};

template <typename T>
class IntegerPowOp final : public BinaryOpBase {
 public:
  explicit IntegerPowOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &PowersOfIntegers<T>, functor::Pow<T>::kFailure,
                     /*cost=*/10) {}
};

template <typename C>
class ComplexDivOp final : public BinaryOpBase {
 public:
  explicit ComplexDivOp(OpKernelConstruction* ctx)
      : BinaryOpBase(ctx, &ComplexDivLoop<C>, "", /*cost=*/5) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Div").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Div, 2>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("Div").Device(DEVICE_CPU), "T",
                          DivideInVectors<Division::kTruncated, 2>::Op, int8,
                          int16, int32, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(Name("Div").Device(DEVICE_CPU), "T", ComplexDivOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("RealDiv").Device(DEVICE_CPU), "T",
                          HalfBinary<functor::Div, 2>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("RealDiv").Device(DEVICE_CPU), "T", ComplexDivOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("FloorDiv").Device(DEVICE_CPU), "T",
                          DivideInVectors<Division::kFloored, 2>::Op, int8,
                          int16, int32, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(Name("TruncateDiv").Device(DEVICE_CPU), "T",
                          DivideInVectors<Division::kTruncated, 2>::Op, int8,
                          int16, int32, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(Name("FloorMod").Device(DEVICE_CPU), "T",
                          DivideInVectors<Division::kFlooredRemainder, 2>::Op,
                          int8, int16, int32, uint8, uint16);
REGISTER_KERNEL_FOR_TYPES(
    Name("FloorMod").Device(DEVICE_CPU), "T",
    RemainderInVectors<functor::FloorMod, Division::kFlooredRemainder>::Op,
    Eigen::half, Eigen::bfloat16, float);
REGISTER_KERNEL_FOR_TYPES(Name("Mod").Device(DEVICE_CPU), "T",
                          DivideInVectors<Division::kRemainder, 2>::Op, int32);
REGISTER_KERNEL_FOR_TYPES(
    Name("Mod").Device(DEVICE_CPU), "T",
    RemainderInVectors<functor::Mod, Division::kRemainder>::Op, Eigen::half,
    Eigen::bfloat16, float);
REGISTER_KERNEL_FOR_TYPES(Name("TruncateMod").Device(DEVICE_CPU), "T",
                          DivideInVectors<Division::kRemainder, 2>::Op, int32);
REGISTER_KERNEL_FOR_TYPES(
    Name("TruncateMod").Device(DEVICE_CPU), "T",
    RemainderInVectors<functor::Mod, Division::kRemainder>::Op, Eigen::half,
    Eigen::bfloat16, float);
REGISTER_KERNEL_FOR_TYPES(Name("Pow").Device(DEVICE_CPU), "T", IntegerPowOp,
                          int8, int16, int32, int64_t);

// Sizes are divided on the host.
REGISTER_HOST_INT32_ON_GPU(
    Name("Div").HostMemory("x").HostMemory("y").HostMemory("z"), "T",
    DivideInVectors<Division::kTruncated, 2>::Op<int32>);
REGISTER_HOST_INT32_ON_GPU(
    Name("FloorDiv").HostMemory("x").HostMemory("y").HostMemory("z"), "T",
    DivideInVectors<Division::kFloored, 2>::Op<int32>);
REGISTER_HOST_INT32_ON_GPU(
    Name("TruncateDiv").HostMemory("x").HostMemory("y").HostMemory("z"), "T",
    DivideInVectors<Division::kTruncated, 2>::Op<int32>);
REGISTER_HOST_INT32_ON_GPU(
    Name("FloorMod").HostMemory("x").HostMemory("y").HostMemory("z"), "T",
    DivideInVectors<Division::kFlooredRemainder, 2>::Op<int32>);
REGISTER_HOST_INT32_ON_GPU(
    Name("Mod").HostMemory("x").HostMemory("y").HostMemory("z"), "T",
    DivideInVectors<Division::kRemainder, 2>::Op<int32>);
REGISTER_HOST_INT32_ON_GPU(
    Name("TruncateMod").HostMemory("x").HostMemory("y").HostMemory("z"), "T",
    DivideInVectors<Division::kRemainder, 2>::Op<int32>);

}  // namespace tensorwright

#define TW_ROWS TW_DIVISION_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_kernels.h"
