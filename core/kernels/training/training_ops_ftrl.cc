// SPDX-License-Identifier: Apache-2.0
// Kernels of FTRL-proximal, with and without shrinkage.
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules_regularized.h"

namespace tensorwright {
namespace {

// kShrinkage is the input that has l2_shrinkage, or 0 if none has.
template <typename T, template <typename> class RuleOf, int kShrinkage,
          bool kSparse>
class FtrlOp final : public ApplyOp<T, RuleOf, kSparse> {
 public:
  using ApplyOp<T, RuleOf, kSparse>::ApplyOp;

 protected:
  Status CheckScalars(OpKernelContext* ctx) override {
    const auto value = [this, ctx](int i) { return this->Number(ctx, i); };
    // If it is multiplied by lr, nothing is divided by lr, which may then be 0.
    const bool positive =
        this->attrs().multiply_linear_by_lr ? value(4) >= 0 : value(4) > 0;
    if (!positive) {
      return errors::InvalidArgument("lr is not a positive scalar: ", value(4));
    }
    if (!(value(5) >= 0)) {
      return errors::InvalidArgument(
          "l1 regularization strength is not a non-negative scalar: ",
          value(5));
    }
    if (!(value(6) >= 0)) {
      return errors::InvalidArgument(
          "l2 regularization strength is not a non-negative scalar: ",
          value(6));
    }
    if (kShrinkage > 0 && !(value(kShrinkage) >= 0)) {
      return errors::InvalidArgument(
          "l2 shrinkage regularization strength is not a non-negative scalar: ",
          value(kShrinkage));
    }
    constexpr int kPower = kShrinkage > 0 ? 8 : 7;
    if (!(value(kPower) <= 0)) {
      return errors::InvalidArgument("lr_power is not a non-positive scalar: ",
                                     value(kPower));
    }
    return OkStatus();
  }
};

template <typename T, bool kSparse>
using PlainFtrlOp = FtrlOp<T, FtrlRule, 0, kSparse>;
template <typename T, bool kSparse>
using ShrinkingFtrlOp = FtrlOp<T, FtrlV2Rule, 7, kSparse>;

template <typename T>
using ApplyFtrlOp = PlainFtrlOp<T, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyFtrl").Device(DEVICE_CPU), "T",
                          ApplyFtrlOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyFtrl").Device(DEVICE_CPU), "T",
                          ApplyFtrlOp, half, bfloat16, float, double);
template <typename T>
using SparseApplyFtrlOp = PlainFtrlOp<T, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyFtrl").Device(DEVICE_CPU), "T",
                          SparseApplyFtrlOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceSparseApplyFtrl").Device(DEVICE_CPU),
                          "T", SparseApplyFtrlOp, half, bfloat16, float,
                          double);

template <typename T>
using ApplyFtrlV2Op = ShrinkingFtrlOp<T, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyFtrlV2").Device(DEVICE_CPU), "T",
                          ApplyFtrlV2Op, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyFtrlV2").Device(DEVICE_CPU), "T",
                          ApplyFtrlV2Op, half, bfloat16, float, double);
template <typename T>
using SparseApplyFtrlV2Op = ShrinkingFtrlOp<T, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyFtrlV2").Device(DEVICE_CPU), "T",
                          SparseApplyFtrlV2Op, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceSparseApplyFtrlV2").Device(DEVICE_CPU),
                          "T", SparseApplyFtrlV2Op, half, bfloat16, float,
                          double);

}  // namespace
}  // namespace tensorwright
