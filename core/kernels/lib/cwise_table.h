// SPDX-License-Identifier: Apache-2.0
// The table of elementwise ops: one row has everything about an op.
//
//   TW_UNARY_FORM(op, x, scalar form)
//   TW_UNARY(op, cost, types, gpu, flags, vector form)
//   TW_UNARY_PLAIN(op, cost, types, gpu, flags)
//   TW_UNARY_ALIAS(op, f, cost, types, gpu, flags)
// and the same of two arguments, TW_BINARY_FORM(op, x, y, scalar form) ...
//
// scalar form: defines functor::op<T>, what the op does to elements of type T.
//     One that is no single expression is a struct in cwise_functors.h instead.
// cost: nanoseconds an element, roughly.
// types: of the CPU kernels, in parentheses.  A type that has a kernel of its
//     own is not among them; that is registered in the .cc of the section.
// gpu: types of the GPU kernels: None, Bools, Floats (half, bfloat16, float,
//     double), Numbers (int64 too), NumbersAndHostInt32 (int32 too, in host
//     memory, where shapes and indices are).
// flags: cwise_row.h says what they mean.
// vector form: the same for vectors of floats and doubles, v or (a, b), with
//     their tag d and element type T; hn is Highway.  PLAIN: has none, and the
//     compiler makes vectors of the scalar form, or none.  ALIAS: another name
//     of functor f, whose forms serve.
//
// A row makes: the functor (cwise_functors.h); its vector loops
// (cwise_ops_simd*.cc, cwise_ops_half.cc); CPU and GPU kernels (the .cc of its
// section; math/cwise_ops_gpu*.cc); a link of chains
// (fused/cwise_ops_fused_chains.cc); the entry of the op for passes
// (core/util/elementwise.h).
//
// These are macros because vector forms are text: Highway compiles them once
// for each instruction set, under attributes that no template carries over, and
// kernels, passes and nvcc must not see Highway at all.  An argument that most
// readers drop is the only thing in C++ that can be both.
//
// A reader defines those of these macros that it wants, and includes this file.
// It defines TW_ROWS as the sum of the sections it wants, or gets them all.

#include "core/kernels/lib/cwise_table_begin.h"

#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_TABLE_H_
#define TW_ARITHMETIC_ROWS 1
#define TW_TRANSCENDENTAL_ROWS 2
#define TW_BINARY_ROWS 4
#define TW_DIVISION_ROWS 8
#define TW_COMPARE_ROWS 16
#define TW_GRAD_ROWS 32
#define TW_RELU_ROWS 64
#define TW_SOFTPLUS_ROWS 128
#endif

// clang-format off

// ---- One argument: arithmetic, rounding, classification ---------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_ARITHMETIC_ROWS  // math/cwise_ops_arithmetic.cc

TW_UNARY(Neg, 1, (TW_SIGNED, float, double, TW_COMPLEX), Numbers, kLink,
         hn::Neg(v))

TW_UNARY(Abs, 1, (TW_SIGNED, float, double), Numbers, kLink, hn::Abs(v))

TW_UNARY_FORM(Square, x, Product(x, x))
TW_UNARY(Square, 1, (TW_INTS, TW_FLOATS, TW_COMPLEX), Numbers, kLink,
         hn::Mul(v, v))

TW_UNARY_PLAIN(Sign, 1, (TW_SIGNED, float, double), Numbers, kNoFlags)

TW_UNARY_FORM(Sqrt, x, std::sqrt(x))
TW_UNARY(Sqrt, 2, (TW_FLOATS, TW_COMPLEX), Floats, kLink, hn::Sqrt(v))

TW_UNARY_FORM(Rsqrt, x, T(1) / std::sqrt(x))
TW_UNARY(Rsqrt, 2, (Eigen::bfloat16, float, double), Floats, kHalfLoop,
         Rsqrt(d, v))

TW_UNARY_FORM(Reciprocal, x, T(1) / x)
TW_UNARY(Reciprocal, 2, (TW_FLOATS), Floats, kNoFlags,
         hn::Div(hn::Set(d, 1), v))
TW_UNARY_ALIAS(Inv, Reciprocal, 2, (TW_FLOATS), Floats, kNoFlags)

TW_UNARY_FORM(Floor, x, std::floor(x))
TW_UNARY(Floor, 1, (TW_FLOATS), Floats, kNoFlags, hn::Floor(v))

TW_UNARY_FORM(Ceil, x, std::ceil(x))
TW_UNARY(Ceil, 1, (TW_FLOATS), Floats, kNoFlags, hn::Ceil(v))

TW_UNARY(Rint, 1, (TW_FLOATS), Floats, kNoFlags, hn::Round(v))
TW_UNARY_ALIAS(Round, Rint, 1, (int32, int64_t, TW_FLOATS), Floats, kNoFlags)

TW_UNARY_PLAIN(IsNan, 1, (TW_FLOATS), Floats, kNoFlags)
TW_UNARY_PLAIN(IsInf, 1, (TW_FLOATS), Floats, kNoFlags)
TW_UNARY_PLAIN(IsFinite, 1, (TW_FLOATS), Floats, kNoFlags)
TW_UNARY_PLAIN(LogicalNot, 1, (), Bools, kNoFlags)
TW_UNARY_PLAIN(Conj, 1, (TW_COMPLEX), None, kNoFlags)

#endif

// ---- One argument: exponentials, logarithms, trigonometry -------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_TRANSCENDENTAL_ROWS  // math/cwise_ops_transcendental.cc

TW_UNARY_FORM(Exp, x, std::exp(x))
TW_UNARY(Exp, 2, (TW_FLOATS, TW_COMPLEX), Floats, kLinkOfFloats, SafeExp(d, v))

TW_UNARY(Expm1, 3, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags, SafeExpm1(d, v))

TW_UNARY_FORM(Log, x, std::log(x))
TW_UNARY(Log, 3, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags, SafeLog(d, v))

TW_UNARY(Log1p, 4, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags, SafeLog1p(d, v))

TW_UNARY_FORM(Sin, x, std::sin(x))
TW_UNARY(Sin, 3, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags, SafeSin(d, v))

TW_UNARY_FORM(Cos, x, std::cos(x))
TW_UNARY(Cos, 3, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags, SafeCos(d, v))

TW_UNARY_FORM(Tan, x, std::tan(x))
TW_UNARY(Tan, 4, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags, Tan(d, v))

TW_UNARY_FORM(Tanh, x, std::tanh(x))
TW_UNARY(Tanh, 2, (TW_FLOATS), Floats, kLinkOfFloats | kActivation,
         SafeTanh(d, v))

TW_UNARY_FORM(Sinh, x, std::sinh(x))
TW_UNARY(Sinh, 4, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, SafeSinh(d, v))

TW_UNARY_FORM(Cosh, x, std::cosh(x))
TW_UNARY(Cosh, 4, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, Cosh(d, v))

TW_UNARY_FORM(Asin, x, std::asin(x))
TW_UNARY(Asin, 3, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, hn::Asin(d, v))

TW_UNARY_FORM(Acos, x, std::acos(x))
TW_UNARY(Acos, 3, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, hn::Acos(d, v))

TW_UNARY_FORM(Atan, x, std::atan(x))
TW_UNARY(Atan, 3, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, hn::Atan(d, v))

TW_UNARY_FORM(Asinh, x, std::asinh(x))
TW_UNARY(Asinh, 5, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, SafeAsinh(d, v))

TW_UNARY_FORM(Acosh, x, std::acosh(x))
TW_UNARY(Acosh, 5, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, SafeAcosh(d, v))

TW_UNARY_FORM(Atanh, x, std::atanh(x))
TW_UNARY(Atanh, 5, (TW_FLOATS, TW_COMPLEX), None, kNeverFused, SafeAtanh(d, v))

TW_UNARY_FORM(Sigmoid, x, T(1) / (T(1) + std::exp(-x)))
TW_UNARY(Sigmoid, 3, (TW_FLOATS, TW_COMPLEX), Floats,
         kLinkOfFloats | kActivation, Sigmoid(d, v))

TW_UNARY_FORM(Erf, x, std::erf(x))
TW_UNARY(Erf, 4, (TW_FLOATS), Floats, kNoFlags, Erf(d, v))

TW_UNARY_FORM(Erfc, x, std::erfc(x))
TW_UNARY(Erfc, 6, (TW_FLOATS), Floats, kNoFlags, Erfc(d, v))

TW_UNARY_PLAIN(Lgamma, 30, (TW_FLOATS), Floats, kNoFlags)

TW_UNARY(Digamma, 30, (TW_FLOATS), Floats, kNoFlags, Digamma(d, v))

// The angle of (x, y), in (-pi, pi].
TW_BINARY_FORM(Atan2, y, x, std::atan2(y, x))
TW_BINARY(Atan2, 20, (TW_FLOATS), None, kNeverFused, Atan2(d, a, b))

#endif

// ---- Two arguments: arithmetic and extrema ----------------------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_BINARY_ROWS  // math/cwise_ops_binary.cc

TW_BINARY_FORM(Add, x, y, static_cast<T>(Wrap<T>(x) + Wrap<T>(y)))
TW_BINARY(Add, 1, (std::string, TW_SIGNED, uint8, Eigen::bfloat16, float,
                   double, TW_COMPLEX),
          NumbersAndHostInt32, kLink | kHalfLoop | kIntLoop, hn::Add(a, b))

TW_BINARY_FORM(Sub, x, y, static_cast<T>(Wrap<T>(x) - Wrap<T>(y)))
TW_BINARY(Sub, 1, (TW_INTS, Eigen::bfloat16, float, double, TW_COMPLEX),
          NumbersAndHostInt32, kLink | kHalfLoop | kIntLoop, hn::Sub(a, b))

TW_BINARY_FORM(Mul, x, y, Product(x, y))
TW_BINARY(Mul, 1, (TW_INTS, Eigen::bfloat16, float, double, TW_COMPLEX),
          NumbersAndHostInt32, kLink | kHalfLoop | kIntLoop, hn::Mul(a, b))

// A NaN on either side is the result.
TW_BINARY_FORM(Maximum, x, y, x > y || x != x ? x : y)
TW_BINARY(Maximum, 1, (TW_INTS, Eigen::bfloat16, float, double),
          NumbersAndHostInt32, kLink | kHalfLoop | kIntLoop, Larger(a, b))

TW_BINARY_FORM(Minimum, x, y, x < y || x != x ? x : y)
TW_BINARY(Minimum, 1, (TW_INTS, Eigen::bfloat16, float, double),
          NumbersAndHostInt32, kLink | kHalfLoop | kIntLoop, Smaller(a, b))

TW_BINARY(SquaredDifference, 1, (int32, int64_t, TW_FLOATS, TW_COMPLEX),
          Numbers, kNoFlags, hn::Mul(hn::Sub(a, b), hn::Sub(a, b)))

#endif

// ---- Two arguments: quotients, remainders, powers ---------------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_DIVISION_ROWS  // math/cwise_ops_division.cc

TW_BINARY(Div, 3, (int64_t, uint32, uint64, Eigen::bfloat16, float, double),
          Floats, kLink | kHalfLoop, hn::Div(a, b))
TW_BINARY_ALIAS(RealDiv, Div, 2, (Eigen::bfloat16, float, double), Floats,
                kLink)
TW_BINARY_PLAIN(FloorDiv, 5, (int64_t, uint32, uint64, TW_FLOATS), Floats,
                kNoFlags)
TW_BINARY_PLAIN(TruncateDiv, 5, (int64_t, uint32, uint64, TW_FLOATS), Floats,
                kNoFlags)
TW_BINARY_PLAIN(FloorMod, 20, (int64_t, uint32, uint64, double), Floats,
                kNoFlags)
TW_BINARY_PLAIN(Mod, 20, (int64_t, double), Floats, kNoFlags)
TW_BINARY_ALIAS(TruncateMod, Mod, 20, (int64_t, double), Floats, kNeverFused)
TW_BINARY_PLAIN(Pow, 20, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags)

// 0 if one argument is 0, whatever the other: y for the first two, x for the
// others.
TW_BINARY_FORM(DivNoNan, x, y, y == T(0) ? T(0) : Div<T>()(x, y))
TW_BINARY(DivNoNan, 3, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)), hn::Div(a, b)))

TW_BINARY_FORM(MulNoNan, x, y, y == T(0) ? T(0) : Product(x, y))
TW_BINARY(MulNoNan, 1, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)), hn::Mul(a, b)))

TW_BINARY_FORM(Xdivy, x, y, x == T(0) ? T(0) : Div<T>()(x, y))
TW_BINARY(Xdivy, 3, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(a, hn::Zero(d)), hn::Div(a, b)))

TW_BINARY_FORM(Xlogy, x, y, x == T(0) ? T(0) : Product(x, Log<T>()(y)))
TW_BINARY(Xlogy, 4, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(a, hn::Zero(d)),
                             hn::Mul(a, SafeLog(d, b))))

TW_BINARY_FORM(Xlog1py, x, y, x == T(0) ? T(0) : Product(x, Log1p<T>()(y)))
TW_BINARY(Xlog1py, 5, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(a, hn::Zero(d)),
                             hn::Mul(a, SafeLog1p(d, b))))

#endif

// ---- Two arguments: comparisons and logic -----------------------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_COMPARE_ROWS  // math/cwise_ops_compare.cc

TW_BINARY_PLAIN(Equal, 1, (std::string, bool, qint8, quint8, qint16, quint16,
                           qint32, TW_INTS, TW_FLOATS, TW_COMPLEX),
                NumbersAndHostInt32, kNoFlags)
TW_BINARY_PLAIN(NotEqual, 1, (std::string, bool, qint8, quint8, qint16, quint16,
                              qint32, TW_INTS, TW_FLOATS, TW_COMPLEX),
                NumbersAndHostInt32, kNoFlags)
TW_BINARY_PLAIN(Less, 1, (TW_INTS, TW_FLOATS), NumbersAndHostInt32, kNoFlags)
TW_BINARY_PLAIN(LessEqual, 1, (TW_INTS, TW_FLOATS), NumbersAndHostInt32,
                kNoFlags)
TW_BINARY_PLAIN(Greater, 1, (TW_INTS, TW_FLOATS), NumbersAndHostInt32, kNoFlags)
TW_BINARY_PLAIN(GreaterEqual, 1, (TW_INTS, TW_FLOATS), NumbersAndHostInt32,
                kNoFlags)
TW_BINARY_PLAIN(LogicalAnd, 1, (bool), Bools, kOfBools)
TW_BINARY_PLAIN(LogicalOr, 1, (bool), Bools, kOfBools)

#endif

// ---- Gradients, of (y, dy) --------------------------------------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_GRAD_ROWS  // math/cwise_ops_grad.cc

// For a complex y, TanhGrad and SigmoidGrad take y itself where the others take
// its conjugate, like TensorFlow's kernels; the graphs take that into account.
TW_BINARY_FORM(TanhGrad, y, dy, Product(dy, T(1) - Product(y, y)))
TW_BINARY(TanhGrad, 1, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::Mul(b, hn::NegMulAdd(a, a, hn::Set(d, 1))))

TW_BINARY_FORM(SigmoidGrad, y, dy, Product(Product(dy, y), T(1) - y))
TW_BINARY(SigmoidGrad, 1, (TW_FLOATS, TW_COMPLEX), Floats, kNoFlags,
          hn::Mul(hn::Mul(b, a), hn::Sub(hn::Set(d, 1), a)))

// A gradient of 0 stays 0, even if y is infinite or NaN.
TW_BINARY_FORM(SqrtGrad, y, dy, dy == T(0) ? T(0) : dy * T(0.5) / Conjugate(y))
TW_BINARY(SqrtGrad, 1, (TW_FLOATS), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),
                             hn::Div(hn::Mul(b, hn::Set(d, T(0.5))), a)))

TW_BINARY(RsqrtGrad, 1, (TW_FLOATS), Floats, kNoFlags,
          hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),
                             hn::Mul(hn::Mul(b, hn::Set(d, T(-0.5))),
                                     hn::Mul(a, hn::Mul(a, a)))))

TW_BINARY(ReciprocalGrad, 1, (Eigen::bfloat16, float, double), Floats,
          kHalfLoop,
          hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)),
                             hn::Mul(hn::Neg(b), hn::Mul(a, a))))
TW_BINARY_ALIAS(InvGrad, ReciprocalGrad, 1, (Eigen::bfloat16, float, double),
                Floats, kNoFlags)

#endif

// ---- Rectifiers and their gradients, of (gradient, feature) -----------------
#if !defined(TW_ROWS) || TW_ROWS & TW_RELU_ROWS  // nn/relu_op.cc

// NaN stays NaN: it is not below 0.
TW_UNARY_FORM(Relu, x, x < T(0) ? T(0) : x)
TW_UNARY(Relu, 1, (TW_INTS, TW_FLOATS), Floats, kLink | kActivation,
         hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d), v))

TW_UNARY_FORM(Relu6, x, x < T(0) ? T(0) : x > T(6) ? T(6) : x)
TW_UNARY(Relu6, 1, (TW_INTS, TW_FLOATS), Floats, kActivation,
         hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d),
                        hn::IfThenElse(hn::Gt(v, hn::Set(d, 6)), hn::Set(d, 6),
                                       v)))

TW_BINARY_FORM(ReluGrad, gradient, feature, feature > T(0) ? gradient : T(0))
TW_BINARY(ReluGrad, 1, (TW_INTS, TW_FLOATS), Floats, kNoFlags,
          hn::IfThenElseZero(hn::Gt(b, hn::Zero(d)), a))

TW_BINARY_FORM(Relu6Grad, gradient, feature,
               feature > T(0) && feature < T(6) ? gradient : T(0))
TW_BINARY(Relu6Grad, 1, (TW_INTS, TW_FLOATS), Floats, kNoFlags,
          hn::IfThenElseZero(hn::And(hn::Gt(b, hn::Zero(d)),
                                     hn::Lt(b, hn::Set(d, 6))),
                             a))

#endif

// ---- Smooth activations and their gradients ---------------------------------
#if !defined(TW_ROWS) || TW_ROWS & TW_SOFTPLUS_ROWS  // nn/softplus_op.cc

TW_UNARY_FORM(Elu, x, x < T(0) ? std::expm1(x) : x)
TW_UNARY(Elu, 3, (TW_FLOATS), Floats, kActivation,
         hn::IfThenElse(hn::Lt(v, hn::Zero(d)), SafeExpm1(d, v), v))

// scale * (x, or alpha * (exp(x) - 1) below 0), with constants that keep the
// mean at 0 and the variance at 1.
TW_UNARY_FORM(Selu, x, x < T(0) ? T(kSeluScaleAlpha) * std::expm1(x)
                                : T(kSeluScale) * x)
TW_UNARY(Selu, 3, (TW_FLOATS), Floats, kActivation,
         hn::IfThenElse(hn::Lt(v, hn::Zero(d)),
                        hn::Mul(hn::Set(d, T(functor::kSeluScaleAlpha)),
                                SafeExpm1(d, v)),
                        hn::Mul(hn::Set(d, T(functor::kSeluScale)), v)))

// If 1 + exp(x) would round to 1 the result is exp(x); if it would round to
// exp(x) the result is x.
TW_UNARY_FORM(Softplus, x, x > T(0) ? x + std::log1p(std::exp(-x))
                                    : std::log1p(std::exp(x)))
TW_UNARY(Softplus, 6, (TW_FLOATS), Floats, kActivation, Softplus(d, v))

TW_UNARY_FORM(Softsign, x, x / (T(1) + std::fabs(x)))
TW_UNARY(Softsign, 2, (TW_FLOATS), Floats, kActivation,
         hn::Div(v, hn::Add(hn::Set(d, 1), hn::Abs(v))))

// Computed from the activation: exp(x) = activation + 1 if x < 0.  It is not a
// * b + a, whose terms are infinities of two signs if the gradient is infinite.
TW_BINARY_FORM(EluGrad, gradient, activation,
               activation < T(0) ? gradient * (activation + T(1)) : gradient)
TW_BINARY(EluGrad, 1, (TW_FLOATS), Floats, kNoFlags,
          hn::IfThenElse(hn::Lt(b, hn::Zero(d)),
                         hn::Mul(a, hn::Add(b, hn::Set(d, 1))), a))

// Computed from the activation, too; 0 belongs to the line.
TW_BINARY_FORM(SeluGrad, gradient, activation,
               activation < T(0) ? gradient * (activation + T(kSeluScaleAlpha))
                                 : gradient * T(kSeluScale))
TW_BINARY(SeluGrad, 1, (TW_FLOATS), Floats, kNoFlags,
          hn::Mul(a, hn::IfThenElse(
                         hn::Lt(b, hn::Zero(d)),
                         hn::Add(b, hn::Set(d, T(functor::kSeluScaleAlpha))),
                         hn::Set(d, T(functor::kSeluScale)))))

TW_BINARY_FORM(SoftplusGrad, gradient, feature,
               gradient / (T(1) + std::exp(-feature)))
TW_BINARY(SoftplusGrad, 3, (TW_FLOATS), Floats, kNoFlags,
          hn::Div(a, hn::Add(hn::Set(d, 1), SafeExp(d, hn::Neg(b)))))

TW_BINARY(SoftsignGrad, 2, (TW_FLOATS), Floats, kNoFlags,
          hn::Div(a, Squared(hn::Add(hn::Set(d, 1), hn::Abs(b)))))

#endif

// clang-format on

#include "core/kernels/lib/cwise_table_end.h"
