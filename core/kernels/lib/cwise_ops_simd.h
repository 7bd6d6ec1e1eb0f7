// SPDX-License-Identifier: Apache-2.0
// Elementwise loops over floats, doubles and integers with the widest vectors
// the processor has (Highway, chosen at run time).
//
// Pointers need no alignment.  The output may be one of the inputs, but must
// not overlap it otherwise.  Error bounds against the exact result, in units in
// the last place: arithmetic, Sqrt, rounding 0.5; Rsqrt 2; Exp, Sigmoid, Sin,
// Cos, Log, Log1p, Expm1, Tanh, Tan, Sinh, Cosh, Asin, Acos, Atan, Asinh,
// Acosh, Atanh, Atan2 5; Erf, Erfc 7; Digamma 10, of 1 near its zeros.  NaN,
// infinities, zeros and arguments out of range give what the C library gives.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_H_

#include <cstdint>

namespace tensorwright {

enum class SimdUnaryOp : uint8_t {
  kNone,  // There is no such loop; a plain one serves.
  kNeg,
  kAbs,
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kSigmoid,
  kFloor,
  kCeil,
  kRint,
  kRelu,
  kRelu6,
  kElu,
  kSoftplus,
  kSoftsign,
  kTanh,
  kFirstSpecial = kTanh,  // Those from here are in cwise_ops_simd_special.cc.
  kTan,
  kSinh,
  kCosh,
  kAsin,
  kAcos,
  kAtan,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kErfc,
  kDigamma,
};

enum class SimdBinaryOp : uint8_t {
  kNone,
  kAdd,
  kSub,
  kMul,
  kMaximum,
  kMinimum,
  kLastInteger = kMinimum,  // Those so far are for integers, too.
  kDiv,
  kSquaredDifference,
  kTanhGrad,
  kSigmoidGrad,
  kSqrtGrad,
  kRsqrtGrad,
  kReciprocalGrad,
  kReluGrad,
  kRelu6Grad,
  kEluGrad,
  kSoftplusGrad,
  kSoftsignGrad,
  kAtan2,
};

// y[i] = op(x[i]), 0 <= i < n.  op is not kNone.
void SimdUnary(SimdUnaryOp op, const float* x, float* y, int64_t n);
void SimdUnary(SimdUnaryOp op, const double* x, double* y, int64_t n);

// The part of SimdUnary in cwise_ops_simd_special.cc: op >= kFirstSpecial.
void SimdSpecial(SimdUnaryOp op, const float* x, float* y, int64_t n);
void SimdSpecial(SimdUnaryOp op, const double* x, double* y, int64_t n);

// z[i] = op(x[i * x_step], y[i * y_step]), 0 <= i < n; a step is 0 or 1.
void SimdBinary(SimdBinaryOp op, const float* x, const float* y, float* z,
                int64_t n, int x_step, int y_step);
void SimdBinary(SimdBinaryOp op, const double* x, const double* y, double* z,
                int64_t n, int x_step, int y_step);
// kAdd, kSub, kMul, kMaximum, kMinimum.
void SimdBinary(SimdBinaryOp op, const int32_t* x, const int32_t* y, int32_t* z,
                int64_t n, int x_step, int y_step);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_OPS_SIMD_H_
