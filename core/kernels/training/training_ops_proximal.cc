// SPDX-License-Identifier: Apache-2.0
// Kernels of proximal gradient descent and Adagrad, and of dual averaging.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules_regularized.h"

namespace tensorwright {
namespace {

template <typename T>
using ApplyProximalGradientDescentOp =
    ApplyOp<T, ProximalGradientDescentRule, false>;
REGISTER_KERNEL_FOR_TYPES(
    Name("ApplyProximalGradientDescent").Device(DEVICE_CPU), "T",
    ApplyProximalGradientDescentOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceApplyProximalGradientDescent").Device(DEVICE_CPU), "T",
    ApplyProximalGradientDescentOp, half, bfloat16, float, double);
template <typename T>
using SparseApplyProximalGradientDescentOp =
    ApplyOp<T, ProximalGradientDescentRule, true>;
REGISTER_KERNEL_FOR_TYPES(
    Name("SparseApplyProximalGradientDescent").Device(DEVICE_CPU), "T",
    SparseApplyProximalGradientDescentOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyProximalGradientDescent").Device(DEVICE_CPU), "T",
    SparseApplyProximalGradientDescentOp, half, bfloat16, float, double);

template <typename T, bool kSparse>
class ProximalAdagradOp final
    : public ApplyOp<T, ProximalAdagradRule, kSparse> {
 public:
  using ApplyOp<T, ProximalAdagradRule, kSparse>::ApplyOp;

 protected:
  Status CheckScalars(OpKernelContext* ctx) override {
    const double lr = this->Number(ctx, 2);
    if (!(lr > 0)) {
      return errors::InvalidArgument("lr is not a positive scalar: ", lr);
    }
    for (int i : {3, 4}) {
      const double strength = this->Number(ctx, i);
      if (strength >= 0) continue;
      return errors::InvalidArgument(
          i == 3 ? "l1" : "l2",
          " regularization strength is not a non-negative scalar: ", strength);
    }
    return OkStatus();
  }
};
template <typename T>
using ApplyProximalAdagradOp = ProximalAdagradOp<T, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyProximalAdagrad").Device(DEVICE_CPU), "T",
                          ApplyProximalAdagradOp, half, bfloat16, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceApplyProximalAdagrad").Device(DEVICE_CPU), "T",
    ApplyProximalAdagradOp, half, bfloat16, float, double);
template <typename T>
using SparseApplyProximalAdagradOp = ProximalAdagradOp<T, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyProximalAdagrad").Device(DEVICE_CPU),
                          "T", SparseApplyProximalAdagradOp, half, bfloat16,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyProximalAdagrad").Device(DEVICE_CPU), "T",
    SparseApplyProximalAdagradOp, half, bfloat16, float, double);

template <typename T>
using ApplyAdagradDAOp = ApplyOp<T, AdagradDARule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdagradDA").Device(DEVICE_CPU), "T",
                          ApplyAdagradDAOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdagradDA").Device(DEVICE_CPU),
                          "T", ApplyAdagradDAOp, half, bfloat16, float, double);
template <typename T>
using SparseApplyAdagradDAOp = ApplyOp<T, AdagradDARule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyAdagradDA").Device(DEVICE_CPU), "T",
                          SparseApplyAdagradDAOp, half, bfloat16, float,
                          double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyAdagradDA").Device(DEVICE_CPU), "T",
    SparseApplyAdagradDAOp, half, bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
