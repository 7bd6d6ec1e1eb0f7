// SPDX-License-Identifier: Apache-2.0
// One step of an optimizer on variables in place: ApplyX and SparseApplyX.
#include "core/kernels/training_ops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

TrainingAttrs ReadAttrs(OpKernelConstruction* ctx) {
  TrainingAttrs attrs;
  const auto read = [ctx](const char* name, bool* value) {
    if (ctx->HasAttr(name)) OP_REQUIRES_OK(ctx, ctx->GetAttr(name, value));
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

// What does not depend on types and rules: locks and checks.
class TrainingOp : public OpKernel {
 public:
  // `vars` variables come first; input `grad` is the gradient, behind which, if
  // `sparse`, come the indices of its rows.  The rest are scalars.
  TrainingOp(OpKernelConstruction* ctx, int vars, int grad, bool sparse)
      : OpKernel(ctx),
        attrs_(ReadAttrs(ctx)),
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
  using Tensors = absl::InlinedVector<Tensor, 4>;
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

template <typename T, template <typename> class RuleOf, bool kSparse>
class ApplyOp : public TrainingOp {
 public:
  using Rule = RuleOf<TrainingCompute<T>>;
  using Data = std::array<T*, Rule::kVars>;

  explicit ApplyOp(OpKernelConstruction* ctx)
      : TrainingOp(ctx, Rule::kVars, Rule::kGrad, kSparse) {}

 protected:
  void Apply(OpKernelContext* ctx, const Tensors& vars) final {
    const Rule rule(attrs(), [ctx](int i) {
      return static_cast<TrainingCompute<T>>(*ctx->input(i).template base<T>());
    });
    Data data;
    for (int i = 0; i < Rule::kVars; ++i) {
      data[i] = vars[i].template base<T>();
    }
    const Tensor& grad = ctx->input(Rule::kGrad);
    const T* g = grad.template base<T>();
    if constexpr (kSparse) {
      ApplyRows(rule, ctx->input(Rule::kGrad + 1), vars[0].shape(), g, data);
    } else {
      ParallelFor(ctx, grad.NumElements(), /*cost_per_unit=*/2 * Rule::kVars,
                  [&](int64_t begin, int64_t end) {
                    ApplyAt(rule, begin, end - begin, g + begin, data);
                  });
    }
  }

 private:
  static void ApplyAt(const Rule& rule, int64_t offset, int64_t n,
                      const T* grad, Data data) {
    for (T*& p : data) p += offset;
    ApplyRule<T>(rule, data, grad, n);
  }

  // Rows may repeat, so they are taken in order by one thread.
  static void ApplyRows(const Rule& rule, const Tensor& indices,
                        const TensorShape& shape, const T* grad,
                        const Data& data) {
    const int64_t n = indices.NumElements();
    if (n == 0) return;
    const int64_t row = shape.num_elements() / shape.dim_size(0);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t index = indices.dtype() == DT_INT32
                                ? indices.base<int32_t>()[i]
                                : indices.base<int64_t>()[i];
      ApplyAt(rule, index * row, row, grad + i * row, data);
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
    if (!(value(4) > 0)) {
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

}  // namespace
}  // namespace tensorwright
