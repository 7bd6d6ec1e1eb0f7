// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of one argument: exponentials, logarithms, trigonometry.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/cwise_ops_complex_tanh.h"

namespace tensorwright {

template <typename C>
class ComplexTanhOp final : public UnaryOpBase {
 public:
  explicit ComplexTanhOp(OpKernelConstruction* ctx)
      : UnaryOpBase(ctx, &ComplexTanhLoop<C>, /*cost=*/20) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("Exp").Device(DEVICE_CPU), "T",
                          Unary<functor::Exp, 2>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Expm1").Device(DEVICE_CPU), "T",
                          Unary<functor::Expm1, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Log").Device(DEVICE_CPU), "T",
                          Unary<functor::Log, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Log1p").Device(DEVICE_CPU), "T",
                          Unary<functor::Log1p, 4>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Sin").Device(DEVICE_CPU), "T",
                          Unary<functor::Sin, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Cos").Device(DEVICE_CPU), "T",
                          Unary<functor::Cos, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Tan").Device(DEVICE_CPU), "T",
                          Unary<functor::Tan, 4>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Tanh").Device(DEVICE_CPU), "T",
                          Unary<functor::Tanh, 2>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Tanh").Device(DEVICE_CPU), "T", ComplexTanhOp,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Sinh").Device(DEVICE_CPU), "T",
                          Unary<functor::Sinh, 4>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Cosh").Device(DEVICE_CPU), "T",
                          Unary<functor::Cosh, 4>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Asin").Device(DEVICE_CPU), "T",
                          Unary<functor::Asin, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Acos").Device(DEVICE_CPU), "T",
                          Unary<functor::Acos, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Atan").Device(DEVICE_CPU), "T",
                          Unary<functor::Atan, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Asinh").Device(DEVICE_CPU), "T",
                          Unary<functor::Asinh, 5>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Acosh").Device(DEVICE_CPU), "T",
                          Unary<functor::Acosh, 5>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Atanh").Device(DEVICE_CPU), "T",
                          Unary<functor::Atanh, 5>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Sigmoid").Device(DEVICE_CPU), "T",
                          Unary<functor::Sigmoid, 3>::Op, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Erf").Device(DEVICE_CPU), "T",
                          Unary<functor::Erf, 4>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Erfc").Device(DEVICE_CPU), "T",
                          Unary<functor::Erfc, 6>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Lgamma").Device(DEVICE_CPU), "T",
                          Unary<functor::Lgamma, 30>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Digamma").Device(DEVICE_CPU), "T",
                          Unary<functor::Digamma, 30>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Atan2").Device(DEVICE_CPU), "T",
                          Binary<functor::Atan2, 20>::Op, Eigen::half,
                          Eigen::bfloat16, float, double);

}  // namespace tensorwright
