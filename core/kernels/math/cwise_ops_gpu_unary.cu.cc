// SPDX-License-Identifier: Apache-2.0
// CUDA loops of the elementwise ops of one argument.

#include "core/kernels/math/cwise_ops_gpu.cu.h"

namespace tensorwright {

template struct InstantiateUnary<functor::Neg, GpuHalf, GpuBfloat16, float,
                                 double, int64_t>;
template struct InstantiateUnary<functor::Abs, GpuHalf, GpuBfloat16, float,
                                 double, int64_t>;
template struct InstantiateUnary<functor::Square, GpuHalf, GpuBfloat16, float,
                                 double, int64_t>;
template struct InstantiateUnary<functor::Sign, GpuHalf, GpuBfloat16, float,
                                 double, int64_t>;
template struct InstantiateUnary<functor::Sqrt, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Rsqrt, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Reciprocal, GpuHalf, GpuBfloat16,
                                 float, double>;
template struct InstantiateUnary<functor::Floor, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Ceil, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Rint, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::IsNan, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::IsInf, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::IsFinite, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Exp, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Expm1, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Log, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Log1p, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Sin, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Cos, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Tan, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Tanh, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Sigmoid, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Erf, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Erfc, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Lgamma, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Digamma, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Relu, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Relu6, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Elu, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Softplus, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::Softsign, GpuHalf, GpuBfloat16, float,
                                 double>;
template struct InstantiateUnary<functor::LogicalNot, bool>;

}  // namespace tensorwright
