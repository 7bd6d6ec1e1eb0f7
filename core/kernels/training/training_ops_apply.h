// SPDX-License-Identifier: Apache-2.0
// The kernel of an update rule.  ApplyX, SparseApplyX, ResourceApplyX and
// ResourceSparseApplyX are one class, which checks the types of its inputs.
//
//   template <typename T>
//   using ApplyAdamOp = ApplyOp<T, AdamRule, false>;
//   REGISTER_KERNEL_FOR_TYPES(Name("ApplyAdam").Device(DEVICE_CPU), "T",
//                             ApplyAdamOp, float, double);
//   REGISTER_KERNEL_FOR_TYPES(Name("ResourceApplyAdam").Device(DEVICE_CPU),
//                             "T", ApplyAdamOp, float, double);
#ifndef TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_APPLY_H_
#define TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_APPLY_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"
#include "core/kernels/training/training_ops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// Reads the attrs that a node has; the others keep their defaults.
TrainingAttrs ReadTrainingAttrs(const AttrSlice& node);

// The part of a kernel that does not depend on types and rules: locks and
// checks.
class TrainingOp : public OpKernel {
 public:
  // The kinds of inputs.  They have the numbers of the dense op's; a sparse op
  // has its indices behind the gradient.  All others are scalars.
  struct Inputs {
    absl::InlinedVector<int, 4> vars;
    int grad = 0;
    bool sparse = false;
  };

  TrainingOp(OpKernelConstruction* ctx, const TrainingAttrs& attrs,
             Inputs inputs)
      : OpKernel(ctx), attrs_(attrs), inputs_(std::move(inputs)) {}

  void Compute(OpKernelContext* ctx) final;

 protected:
  const TrainingAttrs& attrs() const { return attrs_; }
  // Returns scalar input `i` of the dense op.
  const Tensor& Scalar(OpKernelContext* ctx, int i) const {
    return ctx->input(inputs_.sparse && i > inputs_.grad ? i + 1 : i);
  }
  virtual Status CheckScalars(OpKernelContext*) { return OkStatus(); }
  // All inputs have been checked.
  virtual void Apply(OpKernelContext* ctx, WritableVariables& vars) = 0;

 private:
  bool IsScalar(int i) const;
  Status CheckGradient(OpKernelContext* ctx, const TensorShape& shape) const;

  const TrainingAttrs attrs_;
  const Inputs inputs_;
};

// Returns the value of a scalar tensor of dtype T or int64.
template <typename T>
TrainingCompute<T> TrainingScalar(const Tensor& t) {
  return t.dtype() == DT_INT64 ? static_cast<TrainingCompute<T>>(
                                     static_cast<double>(*t.base<int64_t>()))
                               : static_cast<TrainingCompute<T>>(*t.base<T>());
}

template <typename Rule>
TrainingOp::Inputs InputsOf(bool sparse) {
  TrainingOp::Inputs inputs;
  if constexpr (requires { Rule::kVarInputs; }) {
    inputs.vars.assign(Rule::kVarInputs.begin(), Rule::kVarInputs.end());
  } else {
    for (int i = 0; i < Rule::kVars; ++i) inputs.vars.push_back(i);
  }
  inputs.grad = Rule::kGrad;
  inputs.sparse = sparse;
  return inputs;
}

template <typename T, class Rule>
std::array<T*, Rule::kVars> DataOf(WritableVariables& vars) {
  std::array<T*, Rule::kVars> data;
  for (int i = 0; i < Rule::kVars; ++i) data[i] = vars[i].base<T>();
  return data;
}

// Applies the rule to n elements from `offset` on; `grad` is their gradient.
template <typename T, class Rule>
void ApplyAt(const Rule& rule, int64_t offset, int64_t n, const T* grad,
             std::array<T*, Rule::kVars> data) {
  for (T*& p : data) p += offset;
  ApplyRule<T>(rule, data, grad, n);
}

template <typename T, template <typename> class RuleOf, bool kSparse>
class ApplyOp : public TrainingOp {
 public:
  using Rule = RuleOf<TrainingCompute<T>>;

  explicit ApplyOp(OpKernelConstruction* ctx)
      : TrainingOp(ctx, ReadTrainingAttrs(AttrSlice(ctx->def())),
                   InputsOf<Rule>(kSparse)) {}

 protected:
  // Returns a scalar as a number, for checks.
  double Number(OpKernelContext* ctx, int i) const {
    return static_cast<double>(TrainingScalar<T>(Scalar(ctx, i)));
  }

  void Apply(OpKernelContext* ctx, WritableVariables& vars) final {
    const Rule rule(attrs(), [this, ctx](int i) {
      return TrainingScalar<T>(Scalar(ctx, i));
    });
    const auto data = DataOf<T, Rule>(vars);
    const T* grad = ctx->input(Rule::kGrad).template base<T>();
    if constexpr (kSparse) {
      ApplyRows(ctx, rule, vars[0].shape(), grad, data);
    } else {
      ParallelFor(ctx, vars[0].NumElements(),
                  /*cost_per_unit=*/2 * Rule::kVars,
                  [&](int64_t begin, int64_t end) {
                    ApplyAt<T>(rule, begin, end - begin, grad + begin, data);
                  });
    }
  }

 private:
  // Rows may repeat, so each thread goes through all of them in order, and
  // updates its own columns.
  static void ApplyRows(OpKernelContext* ctx, const Rule& rule,
                        const TensorShape& shape, const T* grad,
                        const std::array<T*, Rule::kVars>& data) {
    const Tensor& indices = ctx->input(Rule::kGrad + 1);
    const int64_t n = indices.NumElements();
    if (n == 0 || shape.num_elements() == 0) return;
    const int64_t row = shape.num_elements() / shape.dim_size(0);
    const auto run = [&]<typename Index>(const Index* index, int64_t begin,
                                         int64_t end) {
      for (int64_t i = 0; i < n; ++i) {
        ApplyAt<T>(rule, index[i] * row + begin, end - begin,
                   grad + i * row + begin, data);
      }
    };
    const int64_t blocks = (row + kTrainingBlock - 1) / kTrainingBlock;
    ParallelFor(ctx, blocks,
                /*cost_per_unit=*/2 * Rule::kVars * kTrainingBlock * n,
                [&](int64_t first, int64_t last) {
                  const int64_t begin = first * kTrainingBlock;
                  const int64_t end = std::min(row, last * kTrainingBlock);
                  if (indices.dtype() == DT_INT32) {
                    run(indices.base<int32_t>(), begin, end);
                  } else {
                    run(indices.base<int64_t>(), begin, end);
                  }
                });
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TRAINING_TRAINING_OPS_APPLY_H_
