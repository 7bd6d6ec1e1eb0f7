// SPDX-License-Identifier: Apache-2.0
// The common base of optimizers' kernels, and the kernels of gradient descent
// and momentum.
#include <algorithm>
#include <string>

#include "core/framework/attr_value.pb.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/training/training_ops_apply.h"
#include "core/kernels/training/training_ops_rules.h"

namespace tensorwright {
namespace {

template <typename Index>
Status CheckRows(absl::Span<const Index> indices, int64_t rows) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= rows) {
      return errors::InvalidArgument("Index ", indices[i], " at offset ", i,
                                     " in indices is out of range [0, ", rows,
                                     ")");
    }
  }
  return OkStatus();
}

}  // namespace

TrainingAttrs ReadTrainingAttrs(const AttrSlice& node) {
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

void TrainingOp::Compute(OpKernelContext* ctx) {
  const bool is_ref = IsRefType(input_type(inputs_.vars[0]));
  WritableVariables vars;
  OP_REQUIRES_OK(ctx, vars.Open(ctx, inputs_.vars, input_type(inputs_.grad),
                                attrs_.use_locking));
  for (int i = 0; i < vars.size(); ++i) {
    OP_REQUIRES(ctx, vars[i].IsInitialized(),
                errors::FailedPrecondition(
                    "Attempting to use uninitialized variables: ",
                    requested_input(inputs_.vars[i])));
    OP_REQUIRES(ctx, vars[i].IsSameSize(vars[0]),
                errors::InvalidArgument(type_string(),
                                        ": variables must have one shape, got ",
                                        vars[0].shape().DebugString(), " and ",
                                        vars[i].shape().DebugString()));
  }
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    OP_REQUIRES(
        ctx, !IsScalar(i) || ctx->input(i).dims() == 0,
        errors::InvalidArgument(
            type_string(), ": input ", i, ", ", requested_input(i),
            ", is not a scalar: ", ctx->input(i).shape().DebugString()));
  }
  OP_REQUIRES_OK(ctx, CheckScalars(ctx));
  OP_REQUIRES_OK(ctx, CheckGradient(ctx, vars[0].shape()));
  Apply(ctx, vars);
  if (is_ref) ctx->forward_ref_input_to_ref_output(0, 0);
}

// A scalar is neither a variable, nor the gradient, nor its indices.
bool TrainingOp::IsScalar(int i) const {
  return i != inputs_.grad && !(inputs_.sparse && i == inputs_.grad + 1) &&
         std::find(inputs_.vars.begin(), inputs_.vars.end(), i) ==
             inputs_.vars.end();
}

Status TrainingOp::CheckGradient(OpKernelContext* ctx,
                                 const TensorShape& shape) const {
  TensorShape expected = shape;
  if (inputs_.sparse) {
    const Tensor& indices = ctx->input(inputs_.grad + 1);
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
  const TensorShape& grad = ctx->input(inputs_.grad).shape();
  if (grad.IsSameSize(expected)) return OkStatus();
  return errors::InvalidArgument(
      type_string(), ": the gradient must have shape ", expected.DebugString(),
      inputs_.sparse ? ", a row for each of indices" : "", ", got ",
      grad.DebugString());
}

namespace {

template <typename T>
using ApplyGradientDescentOp = ApplyOp<T, GradientDescentRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyGradientDescent").Device(DEVICE_CPU), "T",
                          ApplyGradientDescentOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceApplyGradientDescent").Device(DEVICE_CPU), "T",
    ApplyGradientDescentOp, half, bfloat16, float, double, complex64,
    complex128);

template <typename T>
using ApplyMomentumOp = ApplyOp<T, MomentumRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ApplyMomentum").Device(DEVICE_CPU), "T",
                          ApplyMomentumOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyMomentum").Device(DEVICE_CPU), "T",
                          ApplyMomentumOp, half, bfloat16, float, double,
                          complex64, complex128);
template <typename T>
using SparseApplyMomentumOp = ApplyOp<T, MomentumRule, true>;
REGISTER_KERNEL_FOR_TYPES(Name("SparseApplyMomentum").Device(DEVICE_CPU), "T",
                          SparseApplyMomentumOp, half, bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyMomentum").Device(DEVICE_CPU), "T",
    SparseApplyMomentumOp, half, bfloat16, float, double, complex64,
    complex128);

template <typename T>
using ApplyKerasMomentumOp = ApplyOp<T, KerasMomentumRule, false>;
REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyKerasMomentum").Device(DEVICE_CPU),
                          "T", ApplyKerasMomentumOp, half, bfloat16, float,
                          double, complex64, complex128);
template <typename T>
using SparseApplyKerasMomentumOp = ApplyOp<T, KerasMomentumRule, true>;
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceSparseApplyKerasMomentum").Device(DEVICE_CPU), "T",
    SparseApplyKerasMomentumOp, half, bfloat16, float, double, complex64,
    complex128);

template <typename T>
using ApplyDelayCompensatedGradientDescentOp =
    ApplyOp<T, DelayCompensatedRule, false>;
REGISTER_KERNEL_FOR_TYPES(
    Name("ApplyDelayCompensatedGradientDescent").Device(DEVICE_CPU), "T",
    ApplyDelayCompensatedGradientDescentOp, half, bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
