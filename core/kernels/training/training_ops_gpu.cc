// SPDX-License-Identifier: Apache-2.0
// Optimizers' kernels on GPUs.  As in TensorFlow, rules of rows (SparseApplyX)
// and those that check the values of their scalars run on CPUs.
#include "core/kernels/training/training_ops_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"
#include "core/kernels/training/training_ops_rules_regularized.h"

namespace tensorwright {
namespace {

template <template <typename> class RuleOf, typename T>
class ApplyOnGpu final : public TrainingOp {
 public:
  using Rule = RuleOf<TrainingCompute<T>>;

  explicit ApplyOnGpu(OpKernelConstruction* ctx)
      : TrainingOp(ctx, ReadTrainingAttrs(AttrSlice(ctx->def())),
                   InputsOf<Rule>(/*sparse=*/false)) {}

 protected:
  void Apply(OpKernelContext* ctx, WritableVariables& vars) override {
    const int64_t n = vars[0].NumElements();
    if (n == 0) return;
    GpuTraining training;
    training.attrs = attrs();
    for (int i = 0; i < Rule::kVars; ++i) training.vars[i] = vars[i].data();
    training.grad = ctx->input(Rule::kGrad).data();
    const int first = Rule::kVars;
    for (int i = first; i < ctx->num_inputs(); ++i) {
      training.inputs[i] = ctx->input(i).data();
    }
    OP_REQUIRES_OK(
        ctx, (GpuApply<RuleOf, gpu::Storage<T>>(GpuStream(ctx), training, n)));
  }
};

// Has the form that REGISTER_KERNEL_FOR_TYPES takes.
template <template <typename> class RuleOf>
struct OnGpu {
  template <typename T>
  using Op = ApplyOnGpu<RuleOf, T>;
};

// ResourceApplyX has its variables behind handles; a few ops have only that
// form.
#define TW_APPLY_ON_GPU(op, rule)                                              \
  REGISTER_KERNEL_FOR_TYPES(Name(op).Device(DEVICE_GPU), "T", OnGpu<rule>::Op, \
                            half, bfloat16, float, double)
#define TW_APPLY_BOTH_ON_GPU(name, rule) \
  TW_APPLY_ON_GPU("Apply" name, rule);   \
  TW_APPLY_ON_GPU("ResourceApply" name, rule)
TW_APPLY_BOTH_ON_GPU("GradientDescent", GradientDescentRule);
TW_APPLY_BOTH_ON_GPU("Momentum", MomentumRule);
TW_APPLY_ON_GPU("ResourceApplyKerasMomentum", KerasMomentumRule);
TW_APPLY_BOTH_ON_GPU("Adam", AdamRule);
TW_APPLY_ON_GPU("ResourceApplyAdamWithAmsgrad", AdamWithAmsgradRule);
TW_APPLY_BOTH_ON_GPU("AdaMax", AdaMaxRule);
TW_APPLY_BOTH_ON_GPU("Adagrad", AdagradRule);
TW_APPLY_BOTH_ON_GPU("AdagradV2", AdagradV2Rule);
TW_APPLY_BOTH_ON_GPU("RMSProp", RMSPropRule);
TW_APPLY_BOTH_ON_GPU("CenteredRMSProp", CenteredRMSPropRule);
TW_APPLY_BOTH_ON_GPU("Adadelta", AdadeltaRule);
TW_APPLY_BOTH_ON_GPU("AddSign", AddSignRule);
TW_APPLY_BOTH_ON_GPU("PowerSign", PowerSignRule);

}  // namespace
}  // namespace tensorwright
