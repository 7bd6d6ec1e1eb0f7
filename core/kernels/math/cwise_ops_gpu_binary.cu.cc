// SPDX-License-Identifier: Apache-2.0
// CUDA loops of the elementwise ops of two arguments.

#include "core/kernels/math/cwise_ops_gpu.cu.h"

namespace tensorwright {

template struct InstantiateBinary<functor::Add, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::Sub, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::Mul, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::Maximum, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::Minimum, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::SquaredDifference, GpuHalf,
                                  GpuBfloat16, float, double, int64_t>;
template struct InstantiateBinary<functor::Equal, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::NotEqual, GpuHalf, GpuBfloat16,
                                  float, double, int64_t>;
template struct InstantiateBinary<functor::Less, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::LessEqual, GpuHalf, GpuBfloat16,
                                  float, double, int64_t>;
template struct InstantiateBinary<functor::Greater, GpuHalf, GpuBfloat16, float,
                                  double, int64_t>;
template struct InstantiateBinary<functor::GreaterEqual, GpuHalf, GpuBfloat16,
                                  float, double, int64_t>;
template struct InstantiateBinary<functor::Div, GpuHalf, GpuBfloat16, float,
                                  double>;
template struct InstantiateBinary<functor::FloorDiv, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::TruncateDiv, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::FloorMod, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::Mod, GpuHalf, GpuBfloat16, float,
                                  double>;
template struct InstantiateBinary<functor::Pow, GpuHalf, GpuBfloat16, float,
                                  double>;
template struct InstantiateBinary<functor::TanhGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::SigmoidGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::SqrtGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::RsqrtGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::ReciprocalGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::ReluGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::Relu6Grad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::EluGrad, GpuHalf, GpuBfloat16, float,
                                  double>;
template struct InstantiateBinary<functor::SoftplusGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::SoftsignGrad, GpuHalf, GpuBfloat16,
                                  float, double>;
template struct InstantiateBinary<functor::LogicalAnd, bool>;
template struct InstantiateBinary<functor::LogicalOr, bool>;

}  // namespace tensorwright
