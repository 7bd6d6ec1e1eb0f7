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

template <typename T, template <typename> class RuleOf>
class ApplyOpBase : public OpKernel {
 public:
  using Rule = RuleOf<TrainingCompute<T>>;
  static constexpr int kVars = Rule::kVars;

  explicit ApplyOpBase(OpKernelConstruction* ctx)
      : OpKernel(ctx), attrs_(ReadAttrs(ctx)) {}

  void Compute(OpKernelContext* ctx) final {
    const Locks locks =
        attrs_.use_locking ? LockVariables(ctx, kVars) : Locks();
    std::array<Tensor, kVars> vars;
    std::array<T*, kVars> data;
    for (int i = 0; i < kVars; ++i) {
      vars[i] = ctx->mutable_input(i, attrs_.use_locking);
      OP_REQUIRES(ctx, vars[i].IsInitialized(),
                  errors::FailedPrecondition(
                      "Attempting to use uninitialized variables: ",
                      requested_input(i)));
      OP_REQUIRES(ctx, vars[i].IsSameSize(vars[0]),
                  errors::InvalidArgument(
                      type_string(), ": variables must have one shape, got ",
                      vars[0].shape().DebugString(), " and ",
                      vars[i].shape().DebugString()));
      data[i] = vars[i].template base<T>();
    }
    for (int i = kVars; i < ctx->num_inputs(); ++i) {
      OP_REQUIRES(
          ctx, IsTensorInput(i) || ctx->input(i).dims() == 0,
          errors::InvalidArgument(
              type_string(), ": input ", i, ", ", requested_input(i),
              ", is not a scalar: ", ctx->input(i).shape().DebugString()));
    }
    OP_REQUIRES_OK(ctx, CheckScalars(ctx));
    const Rule rule(attrs_, [ctx](int i) {
      return static_cast<TrainingCompute<T>>(*ctx->input(i).template base<T>());
    });
    OP_REQUIRES_OK(ctx, Apply(ctx, rule, vars[0].shape(), data));
    ctx->forward_ref_input_to_ref_output(0, 0);
  }

 protected:
  virtual bool IsTensorInput(int i) const { return i == Rule::kGrad; }
  virtual Status CheckScalars(OpKernelContext*) { return OkStatus(); }
  virtual Status Apply(OpKernelContext* ctx, const Rule& rule,
                       const TensorShape& shape,
                       const std::array<T*, kVars>& vars) = 0;

 private:
  const TrainingAttrs attrs_;
};

template <typename T, template <typename> class RuleOf>
class DenseApplyOp : public ApplyOpBase<T, RuleOf> {
 public:
  using Base = ApplyOpBase<T, RuleOf>;
  using Base::Base;
  using typename Base::Rule;

 protected:
  Status Apply(OpKernelContext* ctx, const Rule& rule, const TensorShape& shape,
               const std::array<T*, Base::kVars>& vars) final {
    const Tensor& grad = ctx->input(Rule::kGrad);
    if (!grad.shape().IsSameSize(shape)) {
      return errors::InvalidArgument(
          this->type_string(),
          ": var and the gradient do not have the same shape",
          shape.DebugString(), " ", grad.shape().DebugString());
    }
    const T* g = grad.base<T>();
    ParallelFor(ctx, grad.NumElements(), /*cost_per_unit=*/2 * Rule::kVars,
                [&](int64_t begin, int64_t end) {
                  std::array<T*, Base::kVars> part = vars;
                  for (T*& p : part) p += begin;
                  ApplyRule<T>(rule, part, g + begin, end - begin);
                });
    return OkStatus();
  }
};

// The gradient has rows; the input behind it says whose.  Rows may repeat, so
// they are taken in order by one thread.
template <typename T, template <typename> class RuleOf>
class SparseApplyOp : public ApplyOpBase<T, RuleOf> {
 public:
  using Base = ApplyOpBase<T, RuleOf>;
  using Base::Base;
  using typename Base::Rule;

 protected:
  bool IsTensorInput(int i) const final {
    return i == Rule::kGrad || i == Rule::kGrad + 1;
  }

  Status Apply(OpKernelContext* ctx, const Rule& rule, const TensorShape& shape,
               const std::array<T*, Base::kVars>& vars) final {
    const Tensor& grad = ctx->input(Rule::kGrad);
    const Tensor& indices = ctx->input(Rule::kGrad + 1);
    TensorShape expected = shape;
    if (shape.dims() < 1 || indices.dims() != 1) {
      return errors::InvalidArgument(
          this->type_string(), ": var must be at least 1 dimensional and ",
          "indices a vector, got ", shape.DebugString(), " and ",
          indices.shape().DebugString());
    }
    expected.set_dim(0, indices.dim_size(0));
    if (!grad.shape().IsSameSize(expected)) {
      return errors::InvalidArgument(
          this->type_string(),
          ": grad must have a row of var for each of indices, ",
          expected.DebugString(), ", got ", grad.shape().DebugString());
    }
    if (indices.dtype() == DT_INT32) {
      return ApplyRows(rule, Flat<int32_t>(indices), shape, grad, vars);
    }
    return ApplyRows(rule, Flat<int64_t>(indices), shape, grad, vars);
  }

 private:
  template <typename Index>
  Status ApplyRows(const Rule& rule, absl::Span<const Index> indices,
                   const TensorShape& shape, const Tensor& grad,
                   const std::array<T*, Base::kVars>& vars) {
    const int64_t rows = shape.dim_size(0);
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] >= rows) {
        return errors::InvalidArgument("Index ", indices[i], " at offset ", i,
                                       " in indices is out of range [0, ", rows,
                                       ")");
      }
    }
    if (indices.empty()) return OkStatus();
    const int64_t row = shape.num_elements() / rows;
    for (size_t i = 0; i < indices.size(); ++i) {
      std::array<T*, Base::kVars> part = vars;
      for (T*& p : part) p += indices[i] * row;
      ApplyRule<T>(rule, part, grad.base<T>() + i * row, row);
    }
    return OkStatus();
  }
};

template <typename T>
using ApplyGradientDescentOp = DenseApplyOp<T, GradientDescentRule>;
template <typename T>
using ApplyMomentumOp = DenseApplyOp<T, MomentumRule>;
template <typename T>
using ApplyAdamOp = DenseApplyOp<T, AdamRule>;
template <typename T>
using ApplyAdagradOp = DenseApplyOp<T, AdagradRule>;
template <typename T>
using ApplyRMSPropOp = DenseApplyOp<T, RMSPropRule>;
template <typename T>
using ApplyCenteredRMSPropOp = DenseApplyOp<T, CenteredRMSPropRule>;
template <typename T>
using ApplyAdadeltaOp = DenseApplyOp<T, AdadeltaRule>;
template <typename T>
using SparseApplyMomentumOp = SparseApplyOp<T, SparseMomentumRule>;
template <typename T>
using SparseApplyAdagradOp = SparseApplyOp<T, AdagradRule>;

template <typename T>
class ApplyFtrlOp final : public DenseApplyOp<T, FtrlRule> {
 public:
  using DenseApplyOp<T, FtrlRule>::DenseApplyOp;

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
