// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of one argument: arithmetic, rounding, classification.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_ops_half.h"
#include "core/kernels/math/cwise_ops_quotient.h"

namespace tensorwright {
namespace {

// Computes !x of bools as bytes, because the compiler makes no vectors of
// bools.
struct FlipBytesLoop {
  TW_WIDE_LOOP static void Run(const uint8_t* x, uint8_t* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] ^ uint8_t { 1 };
  }
};

void LogicalNotLoop(const void* x, void* y, int64_t n) {
  RunWide<FlipBytesLoop>(static_cast<const uint8_t*>(x),
                         static_cast<uint8_t*>(y), n);
}

// Computes -x and |x| of half and bfloat16, whose sign is the first bit.
template <bool kAbs>
struct SignBitLoop {
  TW_WIDE_LOOP static void Run(const uint16_t* x, uint16_t* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<uint16_t>(kAbs ? x[i] & 0x7fff : x[i] ^ 0x8000);
    }
  }
};

template <bool kAbs>
void ChangeSignBits(const void* x, void* y, int64_t n) {
  RunWide<SignBitLoop<kAbs>>(static_cast<const uint16_t*>(x),
                             static_cast<uint16_t*>(y), n);
}

// Computes the sign of half and bfloat16 from their bits: 0 for both zeros, NaN
// for NaN.
template <uint16_t kOne, uint16_t kInfinity>
struct SignOfBitsLoop {
  TW_WIDE_LOOP static void Run(const uint16_t* x, uint16_t* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const uint16_t bits = x[i], size = bits & 0x7fff;
      const uint16_t sign = static_cast<uint16_t>((bits & 0x8000) | kOne);
      const uint16_t number = size > kInfinity ? bits : sign;
      y[i] = size == 0 ? uint16_t{0} : number;
    }
  }
};

template <typename T>
void SignOfBits(const void* x, void* y, int64_t n) {
  constexpr bool kHalf = std::is_same_v<T, Eigen::half>;
  using Loop = SignOfBitsLoop<kHalf ? 0x3c00 : 0x3f80, kHalf ? 0x7c00 : 0x7f80>;
  RunWide<Loop>(static_cast<const uint16_t*>(x), static_cast<uint16_t*>(y), n);
}

// Computes |x| of complex64: the squares are taken in doubles, which hold them
// all.
struct SizesLoop {
  TW_WIDE_LOOP static void Run(const float* x, float* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const double re = x[2 * i], im = x[2 * i + 1];
      const float size = static_cast<float>(std::sqrt(re * re + im * im));
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      // The size is infinite even if the other part is NaN.
      const bool infinite = std::fabs(x[2 * i]) == kInfinity ||
                            std::fabs(x[2 * i + 1]) == kInfinity;
      y[i] = infinite ? kInfinity : size;
    }
  }
};

// Computes |x| of complex128, scaled by powers of two that keep the squares in
// range.
struct DoubleSizesLoop {
  TW_WIDE_LOOP static void Run(const double* x, double* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const double a = std::fabs(x[2 * i]), b = std::fabs(x[2 * i + 1]);
      const double most = a > b ? a : b;
      const bool large = most > 0x1p500, small = most < 0x1p-450;
      const double scale = large ? 0x1p-600 : (small ? 0x1p600 : 1.0);
      const double back = large ? 0x1p600 : (small ? 0x1p-600 : 1.0);
      const double re = a * scale, im = b * scale;
      const double size = std::sqrt(re * re + im * im) * back;
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      const bool infinite = (a == kInfinity) | (b == kInfinity);
      y[i] = infinite ? kInfinity : size;
    }
  }
};

template <class Loop, typename R>
void ComplexSizesLoop(const void* x, void* y, int64_t n) {
  RunWide<Loop>(static_cast<const R*>(x), static_cast<R*>(y), n);
}

template <typename C>
void ComplexRsqrtLoop(const void* x, void* y, int64_t n) {
  C* out = static_cast<C*>(y);
  ComplexUnary(ComplexUnaryOp::kSqrt, static_cast<const C*>(x), out, n);
  ComplexReciprocalLoop<C>(out, out, n);
}

}  // namespace

class LogicalNotOp final : public UnaryOpBase {
 public:
  explicit LogicalNotOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &LogicalNotLoop, /*cost=*/1) {}
};

template <bool kAbs>
struct SignBit {
  template <typename T>
  class Op final : public UnaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : UnaryOpBase(ctx, &ChangeSignBits<kAbs>, /*cost=*/1) {}
  };
};

template <typename T>
class NarrowSignOp final : public UnaryOpBase {
 public:
  explicit NarrowSignOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &SignOfBits<T>, /*cost=*/1) {}
};

class Complex64AbsOp final : public UnaryOpBase {
 public:
  explicit Complex64AbsOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexSizesLoop<SizesLoop, float>, /*cost=*/2) {}
};

class Complex128AbsOp final : public UnaryOpBase {
 public:
  explicit Complex128AbsOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexSizesLoop<DoubleSizesLoop, double>,
                    /*cost=*/3) {}
};

template <typename C>
class ComplexSignOp final : public UnaryOpBase {
 public:
  explicit ComplexSignOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexSignLoop<C>, /*cost=*/5) {}
};

template <typename C>
class ComplexReciprocalOp final : public UnaryOpBase {
 public:
  explicit ComplexReciprocalOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexReciprocalLoop<C>, /*cost=*/5) {}
};

template <typename C>
class ComplexRsqrtOp final : public UnaryOpBase {
 public:
  explicit ComplexRsqrtOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexRsqrtLoop<C>, /*cost=*/8) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Neg").Device(DEVICE_CPU), "T",
                          SignBit<false>::Op, Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("Abs").Device(DEVICE_CPU), "T",
                          SignBit<true>::Op, Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("Sign").Device(DEVICE_CPU), "T", NarrowSignOp,
                          Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("Sign").Device(DEVICE_CPU), "T", ComplexSignOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Rsqrt").Device(DEVICE_CPU), "T",
                          HalfUnary<functor::Rsqrt>::Op, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("Rsqrt").Device(DEVICE_CPU), "T", ComplexRsqrtOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Reciprocal").Device(DEVICE_CPU), "T",
                          ComplexReciprocalOp, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Inv").Device(DEVICE_CPU), "T",
                          ComplexReciprocalOp, complex64, complex128);
REGISTER_KERNEL_BUILDER(Name("LogicalNot").Device(DEVICE_CPU), LogicalNotOp);
REGISTER_KERNEL_FOR_TYPES(
    Name("Real").Device(DEVICE_CPU).TypeConstraint<float>("Tout"), "T",
    Unary<functor::Real>::Op, complex64);
REGISTER_KERNEL_FOR_TYPES(
    Name("Real").Device(DEVICE_CPU).TypeConstraint<double>("Tout"), "T",
    Unary<functor::Real>::Op, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("Imag").Device(DEVICE_CPU).TypeConstraint<float>("Tout"), "T",
    Unary<functor::Imag>::Op, complex64);
REGISTER_KERNEL_FOR_TYPES(
    Name("Imag").Device(DEVICE_CPU).TypeConstraint<double>("Tout"), "T",
    Unary<functor::Imag>::Op, complex128);
REGISTER_KERNEL_BUILDER(Name("ComplexAbs")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<complex64>("T")
                            .TypeConstraint<float>("Tout"),
                        Complex64AbsOp);
REGISTER_KERNEL_BUILDER(Name("ComplexAbs")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<complex128>("T")
                            .TypeConstraint<double>("Tout"),
                        Complex128AbsOp);

}  // namespace tensorwright

#define TW_ROWS TW_ARITHMETIC_ROWS
#define TW_CWISE_TABLE "core/kernels/lib/cwise_table.h"
#include "core/kernels/lib/cwise_table_kernels.h"
