// SPDX-License-Identifier: Apache-2.0
// An optimizer's step together with the product of gradient and scalar before
// it.
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"
#include "core/util/fused_program.h"

namespace tensorwright {
namespace {

// Applies a rule to a gradient that is multiplied by the last input, a scalar.
// A piece of the product stays in the first-level cache between the two.
template <typename T, class Rule>
void ApplyScaled(OpKernelContext* ctx, const TrainingAttrs& attrs,
                 WritableVariables& vars) {
  constexpr int64_t kPiece = 1024;
  const Rule rule(attrs,
                  [ctx](int i) { return TrainingScalar<T>(ctx->input(i)); });
  const auto data = DataOf<T, Rule>(vars);
  const T* grad = ctx->input(Rule::kGrad).template base<T>();
  const T scale = *ctx->input(ctx->num_inputs() - 1).base<T>();
  ParallelFor(ctx, vars[0].NumElements(), /*cost_per_unit=*/2 * Rule::kVars,
              [&](int64_t begin, int64_t end) {
                T scaled[kPiece];
                for (int64_t at = begin; at < end; at += kPiece) {
                  const int64_t n = std::min(kPiece, end - at);
                  for (int64_t i = 0; i < n; ++i) {
                    scaled[i] = grad[at + i] * scale;
                  }
                  ApplyAt<T>(rule, at, n, scaled, data);
                }
              });
}

// Does a step of one of these optimizers on a gradient times a scalar;
// core/graph/passes/update_fusion_pass.cc makes it from Mul and ApplyX.  Its
// inputs are ApplyX's, with the gradient before the product, and then the
// scalar.
template <typename T>
class FusedUpdateOp final : public TrainingOp {
 public:
  explicit FusedUpdateOp(OpKernelConstruction* ctx)
      : FusedUpdateOp(ctx, Parse(ctx)) {}

 protected:
  void Apply(OpKernelContext* ctx, WritableVariables& vars) override {
    apply_(ctx, attrs(), vars);
  }

 private:
  using ApplyFn = void (*)(OpKernelContext*, const TrainingAttrs&,
                           WritableVariables&);
  struct Update {
    absl::string_view op;
    Inputs inputs;
    ApplyFn apply = nullptr;
    TrainingAttrs attrs;
  };

  template <template <typename> class RuleOf>
  static Update UpdateOf(absl::string_view op) {
    using Rule = RuleOf<TrainingCompute<T>>;
    return {op, InputsOf<Rule>(false), &ApplyScaled<T, Rule>, {}};
  }

  static Update Parse(OpKernelConstruction* ctx) {
    static const auto* updates = new std::vector<Update>{
        UpdateOf<GradientDescentRule>("ApplyGradientDescent"),
        UpdateOf<MomentumRule>("ApplyMomentum"),
        UpdateOf<AdamRule>("ApplyAdam"), UpdateOf<AdagradRule>("ApplyAdagrad"),
        UpdateOf<RMSPropRule>("ApplyRMSProp")};
    FusedProgram program;
    Status status =
        FusedProgram::Parse(AttrSlice(ctx->def()), ctx->num_inputs(), &program);
    for (const Update& known : *updates) {
      if (!status.ok() || program.steps().size() != 2 ||
          program.steps()[1].op->name() != known.op) {
        continue;
      }
      Update update = known;
      update.attrs = ReadTrainingAttrs(program.steps()[1].attrs());
      return update;
    }
    if (status.ok()) {
      status = errors::InvalidArgument("_FusedUpdate: no product and update: ",
                                       program.DebugString());
    }
    ctx->CtxFailure(status);
    return {};
  }

  FusedUpdateOp(OpKernelConstruction* ctx, const Update& update)
      : TrainingOp(ctx, update.attrs, update.inputs), apply_(update.apply) {}

  const ApplyFn apply_;
};
REGISTER_KERNEL_FOR_TYPES(Name("_FusedUpdate").Device(DEVICE_CPU), "T",
                          FusedUpdateOp, float, double);

}  // namespace
}  // namespace tensorwright
