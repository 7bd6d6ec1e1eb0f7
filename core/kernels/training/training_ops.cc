// SPDX-License-Identifier: Apache-2.0
// One step of an optimizer on variables in place: ApplyX and SparseApplyX.
#include "core/kernels/training/training_ops.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/fused_program.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

TrainingAttrs ReadAttrs(const AttrSlice& node) {
  TrainingAttrs attrs;
  const auto read = [&node](const char* name, bool* value) {
    if (const AttrValue* attr = node.Find(name)) *value = attr->b();
  };
  read("use_locking", &attrs.use_locking);
  read("use_nesterov", &attrs.use_nesterov);
  read("update_slots", &attrs.update_slots);
  read("multiply_linear_by_lr", &attrs.multiply_linear_by_lr);
  return attrs;
}

// The mutexes of the first `vars` inputs, each once, locked in order of address
// so that two kernels never wait for each other.
using Locks = absl::InlinedVector<mutex_lock, 4>;
Locks LockVariables(OpKernelContext* ctx, int vars) {
  absl::InlinedVector<mutex*, 4> mutexes;
  for (int i = 0; i < vars; ++i) mutexes.push_back(ctx->input_ref_mutex(i));
  std::sort(mutexes.begin(), mutexes.end());
  mutexes.erase(std::unique(mutexes.begin(), mutexes.end()), mutexes.end());
  Locks locks;
  for (mutex* mu : mutexes) locks.emplace_back(*mu);
  return locks;
}

using Tensors = absl::InlinedVector<Tensor, 4>;

// What does not depend on types and rules: locks and checks.
class TrainingOp : public OpKernel {
 public:
  // `vars` variables come first; input `grad` is the gradient, behind which, if
  // `sparse`, come the indices of its rows.  The rest are scalars.
  TrainingOp(OpKernelConstruction* ctx, const TrainingAttrs& attrs, int vars,
             int grad, bool sparse)
      : OpKernel(ctx),
        attrs_(attrs),
        num_vars_(vars),
        grad_(grad),
        sparse_(sparse) {}

  void Compute(OpKernelContext* ctx) final {
    const Locks locks =
        attrs_.use_locking ? LockVariables(ctx, num_vars_) : Locks();
    Tensors vars;
    for (int i = 0; i < num_vars_; ++i) {
      vars.push_back(ctx->mutable_input(i, attrs_.use_locking));
      OP_REQUIRES(ctx, vars[i].IsInitialized(),
                  errors::FailedPrecondition(
                      "Attempting to use uninitialized variables: ",
                      requested_input(i)));
      OP_REQUIRES(ctx, vars[i].IsSameSize(vars[0]),
                  errors::InvalidArgument(
                      type_string(), ": variables must have one shape, got ",
                      vars[0].shape().DebugString(), " and ",
                      vars[i].shape().DebugString()));
    }
    for (int i = num_vars_; i < ctx->num_inputs(); ++i) {
      if (i == grad_ || (sparse_ && i == grad_ + 1)) continue;
      OP_REQUIRES(
          ctx, ctx->input(i).dims() == 0,
          errors::InvalidArgument(
              type_string(), ": input ", i, ", ", requested_input(i),
              ", is not a scalar: ", ctx->input(i).shape().DebugString()));
    }
    OP_REQUIRES_OK(ctx, CheckScalars(ctx));
    OP_REQUIRES_OK(ctx, CheckGradient(ctx, vars[0].shape()));
    Apply(ctx, vars);
    ctx->forward_ref_input_to_ref_output(0, 0);
  }

 protected:
  const TrainingAttrs& attrs() const { return attrs_; }
  virtual Status CheckScalars(OpKernelContext*) { return OkStatus(); }
  // All inputs have been checked.
  virtual void Apply(OpKernelContext* ctx, const Tensors& vars) = 0;

 private:
  Status CheckGradient(OpKernelContext* ctx, const TensorShape& shape) const {
    TensorShape expected = shape;
    if (sparse_) {
      const Tensor& indices = ctx->input(grad_ + 1);
      if (shape.dims() < 1 || indices.dims() != 1) {
        return errors::InvalidArgument(
            type_string(), ": var must be at least 1 dimensional and indices ",
            "a vector, got ", shape.DebugString(), " and ",
            indices.shape().DebugString());
      }
      expected.set_dim(0, indices.dim_size(0));
      TF_RETURN_IF_ERROR(
          indices.dtype() == DT_INT32
              ? CheckRows(Flat<int32_t>(indices), shape.dim_size(0))
              : CheckRows(Flat<int64_t>(indices), shape.dim_size(0)));
    }
    const TensorShape& grad = ctx->input(grad_).shape();
    if (grad.IsSameSize(expected)) return OkStatus();
    return errors::InvalidArgument(
        type_string(), ": the gradient must have shape ",
        expected.DebugString(), sparse_ ? ", a row for each of indices" : "",
        ", got ", grad.DebugString());
  }

  template <typename Index>
  static Status CheckRows(absl::Span<const Index> indices, int64_t rows) {
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] >= rows) {
        return errors::InvalidArgument("Index ", indices[i], " at offset ", i,
                                       " in indices is out of range [0, ", rows,
                                       ")");
      }
    }
    return OkStatus();
  }

  const TrainingAttrs attrs_;
  const int num_vars_;
  const int grad_;
  const bool sparse_;
};

// The rule for the numbers that a kernel's inputs hold.
template <typename T, class Rule>
Rule MakeRule(OpKernelContext* ctx, const TrainingAttrs& attrs) {
  return Rule(attrs, [ctx](int i) {
    return static_cast<TrainingCompute<T>>(*ctx->input(i).template base<T>());
  });
}

template <typename T, class Rule>
std::array<T*, Rule::kVars> DataOf(const Tensors& vars) {
  std::array<T*, Rule::kVars> data;
  for (int i = 0; i < Rule::kVars; ++i) data[i] = vars[i].base<T>();
  return data;
}

// To n elements from `offset` on; grad: theirs.
template <typename T, class Rule>
void ApplyAt(const Rule& rule, int64_t offset, int64_t n, const T* grad,
             std::array<T*, Rule::kVars> data) {
  for (T*& p : data) p += offset;
  ApplyRule<T>(rule, data, grad, n);
}

template <typename T, class Rule>
void ApplyDense(OpKernelContext* ctx, const TrainingAttrs& attrs,
                const Tensors& vars) {
  const Rule rule = MakeRule<T, Rule>(ctx, attrs);
  const auto data = DataOf<T, Rule>(vars);
  const T* grad = ctx->input(Rule::kGrad).template base<T>();
  ParallelFor(ctx, vars[0].NumElements(), /*cost_per_unit=*/2 * Rule::kVars,
              [&](int64_t begin, int64_t end) {
                ApplyAt<T>(rule, begin, end - begin, grad + begin, data);
              });
}

// The same for a gradient that the last input, a scalar, scales.  A piece of
// the product stays in the first-level cache between the two.
template <typename T, class Rule>
void ApplyScaled(OpKernelContext* ctx, const TrainingAttrs& attrs,
                 const Tensors& vars) {
  constexpr int64_t kPiece = 1024;
  const Rule rule = MakeRule<T, Rule>(ctx, attrs);
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

template <typename T, template <typename> class RuleOf, bool kSparse>
class ApplyOp : public TrainingOp {
 public:
  using Rule = RuleOf<TrainingCompute<T>>;

  explicit ApplyOp(OpKernelConstruction* ctx)
      : TrainingOp(ctx, ReadAttrs(AttrSlice(ctx->def())), Rule::kVars,
                   Rule::kGrad, kSparse) {}

 protected:
  void Apply(OpKernelContext* ctx, const Tensors& vars) final {
    if constexpr (kSparse) {
      ApplyRows(ctx, vars);
    } else {
      ApplyDense<T, Rule>(ctx, attrs(), vars);
    }
  }

 private:
  // Rows may repeat, so they are taken in order by one thread.
  void ApplyRows(OpKernelContext* ctx, const Tensors& vars) const {
    const Rule rule = MakeRule<T, Rule>(ctx, attrs());
    const auto data = DataOf<T, Rule>(vars);
    const T* grad = ctx->input(Rule::kGrad).template base<T>();
    const Tensor& indices = ctx->input(Rule::kGrad + 1);
    const int64_t n = indices.NumElements();
    if (n == 0) return;
    const int64_t row = vars[0].NumElements() / vars[0].dim_size(0);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t index = indices.dtype() == DT_INT32
                                ? indices.base<int32_t>()[i]
                                : indices.base<int64_t>()[i];
      ApplyAt<T>(rule, index * row, row, grad + i * row, data);
    }
  }
};

template <typename T>
using ApplyGradientDescentOp = ApplyOp<T, GradientDescentRule, false>;
template <typename T>
using ApplyMomentumOp = ApplyOp<T, MomentumRule, false>;
template <typename T>
using ApplyAdamOp = ApplyOp<T, AdamRule, false>;
template <typename T>
using ApplyAdagradOp = ApplyOp<T, AdagradRule, false>;
template <typename T>
using ApplyRMSPropOp = ApplyOp<T, RMSPropRule, false>;
template <typename T>
using ApplyCenteredRMSPropOp = ApplyOp<T, CenteredRMSPropRule, false>;
template <typename T>
using ApplyAdadeltaOp = ApplyOp<T, AdadeltaRule, false>;
template <typename T>
using SparseApplyMomentumOp = ApplyOp<T, SparseMomentumRule, true>;
template <typename T>
using SparseApplyAdagradOp = ApplyOp<T, AdagradRule, true>;

template <typename T>
class ApplyFtrlOp final : public ApplyOp<T, FtrlRule, false> {
 public:
  using ApplyOp<T, FtrlRule, false>::ApplyOp;

 protected:
  Status CheckScalars(OpKernelContext* ctx) override {
    const auto value = [ctx](int i) {
      return static_cast<double>(*ctx->input(i).template base<T>());
    };
    // Multiplied by lr, nothing is divided by it.
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
    if (!(value(7) <= 0)) {
      return errors::InvalidArgument("lr_power is not a non-positive scalar: ",
                                     value(7));
    }
    return OkStatus();
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("ApplyGradientDescent").Device(DEVICE_CPU), "T",
                          ApplyGradientDescentOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyMomentum").Device(DEVICE_CPU), "T",
                          ApplyMomentumOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdam").Device(DEVICE_CPU), "T",
                          ApplyAdamOp, half, bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdagrad").Device(DEVICE_CPU), "T",
                          ApplyAdagradOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyRMSProp").Device(DEVICE_CPU), "T",
                          ApplyRMSPropOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyCenteredRMSProp").Device(DEVICE_CPU), "T",
                          ApplyCenteredRMSPropOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdadelta").Device(DEVICE_CPU), "T",
                          ApplyAdadeltaOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ApplyFtrl").Device(DEVICE_CPU), "T",
                          ApplyFtrlOp, half, bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyMomentum").Device(DEVICE_CPU), "T",
                          SparseApplyMomentumOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyAdagrad").Device(DEVICE_CPU), "T",
                          SparseApplyAdagradOp, half, bfloat16, float, double,
                          complex64, complex128);

// A step of one of these optimizers on a gradient times a scalar: what
// core/graph/passes/update_fusion_pass.cc makes of Mul and ApplyX.  Its inputs
// are ApplyX's, with the gradient as it is before the product, and the scalar.
template <typename T>
class FusedUpdateOp final : public TrainingOp {
 public:
  explicit FusedUpdateOp(OpKernelConstruction* ctx)
      : FusedUpdateOp(ctx, Parse(ctx)) {}

 protected:
  void Apply(OpKernelContext* ctx, const Tensors& vars) override {
    apply_(ctx, attrs(), vars);
  }

 private:
  using ApplyFn = void (*)(OpKernelContext*, const TrainingAttrs&,
                           const Tensors&);
  struct Update {
    absl::string_view op;
    int vars = 0;
    int grad = 0;
    ApplyFn apply = nullptr;
    TrainingAttrs attrs;
  };

  template <template <typename> class RuleOf>
  static Update UpdateOf(absl::string_view op) {
    using Rule = RuleOf<TrainingCompute<T>>;
    return {op, Rule::kVars, Rule::kGrad, &ApplyScaled<T, Rule>, {}};
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
      update.attrs = ReadAttrs(program.steps()[1].attrs());
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
      : TrainingOp(ctx, update.attrs, update.vars, update.grad,
                   /*sparse=*/false),
        apply_(update.apply) {}

  const ApplyFn apply_;
};
REGISTER_KERNEL_FOR_TYPES(Name("_FusedUpdate").Device(DEVICE_CPU), "T",
                          FusedUpdateOp, float, double);

}  // namespace
}  // namespace tensorwright
