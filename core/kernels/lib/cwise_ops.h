// SPDX-License-Identifier: Apache-2.0
// Kernels of elementwise ops on a CPU.
//
//   REGISTER_KERNEL_FOR_TYPES(Name("Neg").Device(DEVICE_CPU), "T",
//                             Unary<functor::Neg>::Op, float, int32);
//
// is the effect of a row of cwise_table.h, through cwise_table_kernels.h.
//
// The kernel classes below know no types: they find out how elements match and
// share the work.  Only one loop function for each functor and type depends on
// the type, so that many ops of many types compile quickly.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_ops_complex.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/scalar_kernel.h"

namespace tensorwright {

// half and bfloat16 are storage; their arithmetic is float's.
template <typename T>
struct ComputeTypeOf {
  using type = T;
};
template <>
struct ComputeTypeOf<Eigen::half> {
  using type = float;
};
template <>
struct ComputeTypeOf<Eigen::bfloat16> {
  using type = float;
};
template <typename T>
using ComputeType = typename ComputeTypeOf<T>::type;

// Is there a vector loop of the functor for T?
template <template <typename> class F, typename T>
inline constexpr bool kHasSimdLoop =
    (SimdLoop<F>::kOfFloats &&
     (std::is_same_v<T, float> || std::is_same_v<T, double>)) ||
    (SimdLoop<F>::kOfIntegers && std::is_same_v<T, int32_t>);

// The loop of a functor over complex numbers, if there is one.
template <template <typename> class F>
inline constexpr ComplexUnaryOp kComplexUnary = ComplexUnaryOp::kNone;
template <>
inline constexpr ComplexUnaryOp kComplexUnary<functor::Exp> =
    ComplexUnaryOp::kExp;
template <>
inline constexpr ComplexUnaryOp kComplexUnary<functor::Log> =
    ComplexUnaryOp::kLog;
template <>
inline constexpr ComplexUnaryOp kComplexUnary<functor::Sqrt> =
    ComplexUnaryOp::kSqrt;
template <>
inline constexpr ComplexUnaryOp kComplexUnary<functor::Sigmoid> =
    ComplexUnaryOp::kSigmoid;

// The type in which a functor's result is stored: T, unless the result is no
// number like T (the bool of a comparison, the float of a complex number's
// part).
template <typename T, typename Result>
using OutputType =
    std::conditional_t<std::is_same_v<Result, ComputeType<T>>, T, Result>;

// ---- Loops -----------------------------------------------------------------

// y[i] = F(x[i]), 0 <= i < n.
using UnaryLoopFn = void (*)(const void* x, void* y, int64_t n);

// z[i] = F(x[i * x_step], y[i * y_step]), 0 <= i < n, steps 0 or 1.  False if
// the functor failed on an element; then do not use z.
using BinaryLoopFn = bool (*)(const void* x, const void* y, void* z, int64_t n,
                              int x_step, int y_step);

// The loop of Cast (cast_op.cc), for every pair of numbers and bool; null for
// other types.
UnaryLoopFn CastLoopFor(DataType from, DataType to);

// Is T half or bfloat16?  These are widened a block at a time.
template <typename T>
inline constexpr bool kIsNarrowFloat = !std::is_same_v<ComputeType<T>, T>;

// Runs a loop.  For numbers it is the form for wide vectors (wide_loops.h),
// which is compiled twice; other types gain nothing from that.
template <class Loop, typename T, typename... Args>
auto RunLoop(Args... args) {
  if constexpr (std::is_arithmetic_v<T> || functor::kIsComplex<T>) {
    return RunWide<Loop>(args...);
  } else {
    return Loop::Run(args...);
  }
}

template <class Functor>
struct PlainUnaryLoop {
  template <typename In, typename Out>
  TW_WIDE_LOOP static void Run(const In* in, Out* out, int64_t n) {
    const Functor f;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(f(in[i]));
  }
};

template <template <typename> class F, typename T>
void UnaryLoop(const void* x, void* y, int64_t n) {
  using C = ComputeType<T>;
  using Out = OutputType<T, decltype(F<C>()(C()))>;
  const T* in = static_cast<const T*>(x);
  Out* out = static_cast<Out*>(y);
  if constexpr (kIsNarrowFloat<T>) {
    float block[kWidenBlock];
    for (int64_t i = 0; i < n; i += kWidenBlock) {
      const int64_t m = std::min(kWidenBlock, n - i);
      WidenFloats(in + i, block, m);
      if constexpr (std::is_same_v<Out, T>) {
        UnaryLoop<F, float>(block, block, m);
        NarrowFloats(block, out + i, m);
      } else {
        UnaryLoop<F, float>(block, out + i, m);
      }
    }
  } else if constexpr (kHasSimdLoop<F, T>) {
    SimdLoop<F>::Run(in, out, n);
  } else if constexpr (kComplexUnary<F> != ComplexUnaryOp::kNone &&
                       functor::kIsComplex<T>) {
    ComplexUnary(kComplexUnary<F>, in, out, n);
  } else {
    RunLoop<PlainUnaryLoop<F<T>>, T>(in, out, n);
  }
}

// FloorDiv of ints can fail; Add, and FloorDiv of floats, can not.
template <typename Functor, typename = void>
struct CanFail : std::false_type {};
template <typename Functor>
struct CanFail<Functor, std::void_t<decltype(Functor::kCanFail)>>
    : std::bool_constant<Functor::kCanFail> {};

// A scalar operand is read before the output is written, because the output may
// be in its place.
template <class Functor, bool kXStep, bool kYStep>
struct PlainBinaryLoop {
  template <typename In, typename Out>
  TW_WIDE_LOOP static bool Run(const In* a, const In* b, Out* out, int64_t n) {
    const Functor f;
    if constexpr (CanFail<Functor>::value) {
      const In u = *a, v = *b;
      for (int64_t i = 0; i < n; ++i) {
        const In x = kXStep ? a[i] : u, y = kYStep ? b[i] : v;
        if (Functor::Fails(x, y)) return false;
        out[i] = static_cast<Out>(f(x, y));
      }
    } else if constexpr (kXStep && kYStep) {
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(f(a[i], b[i]));
    } else if constexpr (kXStep) {
      const In v = *b;
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(f(a[i], v));
    } else {
      const In u = *a;
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(f(u, b[i]));
    }
    return true;
  }
};

template <template <typename> class F, typename T>
bool BinaryLoop(const void* x, const void* y, void* z, int64_t n, int x_step,
                int y_step);

// Handles half and bfloat16, a block at a time.
template <template <typename> class F, typename T>
bool NarrowBinaryLoop(const T* a, const T* b, void* z, int64_t n, int x_step,
                      int y_step) {
  using Out = OutputType<T, decltype(F<float>()(0.0f, 0.0f))>;
  Out* out = static_cast<Out*>(z);
  float x[kWidenBlock], y[kWidenBlock];
  if (x_step == 0) WidenFloats(a, x, 1);
  if (y_step == 0) WidenFloats(b, y, 1);
  for (int64_t i = 0; i < n; i += kWidenBlock) {
    const int64_t m = std::min(kWidenBlock, n - i);
    if (x_step != 0) WidenFloats(a + i, x, m);
    if (y_step != 0) WidenFloats(b + i, y, m);
    if constexpr (std::is_same_v<Out, T>) {
      float result[kWidenBlock];
      if (!BinaryLoop<F, float>(x, y, result, m, x_step, y_step)) return false;
      NarrowFloats(result, out + i, m);
    } else {
      if (!BinaryLoop<F, float>(x, y, out + i, m, x_step, y_step)) return false;
    }
  }
  return true;
}

template <template <typename> class F, typename T>
bool BinaryLoop(const void* x, const void* y, void* z, int64_t n, int x_step,
                int y_step) {
  const T* a = static_cast<const T*>(x);
  const T* b = static_cast<const T*>(y);
  if (n == 0) return true;
  if constexpr (kIsNarrowFloat<T>) {
    return NarrowBinaryLoop<F, T>(a, b, z, n, x_step, y_step);
  } else {
    using Out = OutputType<T, decltype(F<T>()(T(), T()))>;
    Out* out = static_cast<Out*>(z);
    if constexpr (kHasSimdLoop<F, T>) {
      SimdLoop<F>::Run(a, b, out, n, x_step, y_step);
      return true;
    } else {
      using Functor = F<T>;
      if (x_step == 0 && y_step == 0 && n > 1) {
        const T u = *a, v = *b;
        for (int64_t i = 0; i < n; ++i) {
          if (!BinaryLoop<F, T>(&u, &v, out + i, 1, 1, 1)) return false;
        }
        return true;
      }
      if (x_step == 0 && y_step != 0) {
        return RunLoop<PlainBinaryLoop<Functor, false, true>, T>(a, b, out, n);
      }
      if (x_step != 0 && y_step == 0) {
        return RunLoop<PlainBinaryLoop<Functor, true, false>, T>(a, b, out, n);
      }
      return RunLoop<PlainBinaryLoop<Functor, true, true>, T>(a, b, out, n);
    }
  }
}

// ---- Kernels ---------------------------------------------------------------

// x -> y of the same shape; y reuses the buffer of x if it may.
class UnaryOpBase : public OpKernel, public ScalarKernel {
 public:
  // `cost`: roughly the nanoseconds for an element.
  UnaryOpBase(OpKernelConstruction* ctx, UnaryLoopFn loop, int cost)
      : OpKernel(ctx, /*is_expensive=*/false), loop_(loop), cost_(cost) {}

  void Compute(OpKernelContext* ctx) override;
  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override;

  // For kernels that run the loop on pieces of their own.
  UnaryLoopFn loop() const { return loop_; }
  int cost() const { return cost_; }

 private:
  const UnaryLoopFn loop_;
  const int cost_;
};

struct BroadcastRows;  // cwise_ops.cc

// x, y -> z with broadcasting; z reuses the buffer of x or y if it may.
class BinaryOpBase : public OpKernel, public ScalarKernel {
 public:
  // `failure`: the error if the loop returns false.
  BinaryOpBase(OpKernelConstruction* ctx, BinaryLoopFn loop,
               const char* failure, int cost);

  void Compute(OpKernelContext* ctx) override;
  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override;

  // For kernels that run the loop on pieces of their own.
  BinaryLoopFn loop() const { return loop_; }
  int cost() const { return cost_; }
  const char* failure() const { return failure_; }

 protected:
  // Runs the loop over all of z, on several threads; false if an element
  // failed.
  bool RunFlat(OpKernelContext* ctx, const Tensor& x, const Tensor& y,
               Tensor* z) const;
  bool RunBroadcast(OpKernelContext* ctx, const Tensor& x, const Tensor& y,
                    Tensor* z) const;
  // The same for rows that are too short to run one by one.
  bool RunShortRows(OpKernelContext* ctx, const BroadcastRows& rows,
                    const Tensor& x, const Tensor& y, Tensor* z) const;

 private:
  const BinaryLoopFn loop_;
  const char* const failure_;
  const int cost_;
  const int in_size_;
  const int out_size_;
  // Equal and NotEqual with incompatible_shape_error = false: the result for
  // shapes that do not broadcast.
  bool incompatible_shapes_allowed_ = false;
  bool incompatible_result_ = false;
};

template <template <typename> class F, int kCost = 1>
struct Unary {
  template <typename T>
  class Op final : public UnaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : UnaryOpBase(ctx, &UnaryLoop<F, T>, kCost) {}
  };
};

template <template <typename> class F, int kCost = 1>
struct Binary {
  template <typename T>
  class Op final : public BinaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : BinaryOpBase(ctx, &BinaryLoop<F, T>, Failure(), kCost) {}

   private:
    static constexpr const char* Failure() {
      if constexpr (CanFail<F<ComputeType<T>>>::value) {
        return F<ComputeType<T>>::kFailure;
      } else {
        return "";
      }
    }
  };
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_H_
