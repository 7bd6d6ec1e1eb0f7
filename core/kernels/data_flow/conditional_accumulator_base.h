// SPDX-License-Identifier: Apache-2.0
// The part that dense and sparse accumulators share: decides which gradients
// count, and lets callers wait.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_CONDITIONAL_ACCUMULATOR_BASE_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_CONDITIONAL_ACCUMULATOR_BASE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "core/framework/node_def_util.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/data_flow/queue_waiters.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"

namespace tensorwright {

struct AccumulatorOptions {
  static Status FromNode(const NodeDef& node, AccumulatorOptions* options) {
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "dtype", &options->dtype));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "shape", &options->shape));
    std::string reduction;
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "reduction_type", &reduction));
    options->mean = reduction == "MEAN";
    return OkStatus();
  }

  std::string name;
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;
  bool mean = true;
};

// Thread-safe.  A gradient counts if its local step is not smaller than the
// global step; taking the sum increments the global step, and starts anew.
class ConditionalAccumulatorBase : public WaitersResource {
 public:
  explicit ConditionalAccumulatorBase(AccumulatorOptions options)
      : options_(std::move(options)) {}

  // The gradient is in the kernel's inputs after the step.
  bool Apply(OpKernelContext* ctx, int64_t local_step)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (local_step < global_step_) return true;
    const Status added = Add(ctx);
    ctx->SetStatus(added);
    if (added.ok()) ++count_;
    return true;
  }
  // False if there are too few gradients.
  bool TryTake(OpKernelContext* ctx, int32_t num_required)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (count_ < num_required) return false;
    ctx->SetStatus(Take(ctx));
    count_ = 0;
    ++global_step_;
    return true;
  }

  DataType dtype() const { return options_.dtype; }
  int32_t num_accumulated() const {
    tf_shared_lock lock(mu_);
    return count_;
  }
  void SetGlobalStep(int64_t step) {
    mutex_lock lock(mu_);
    global_step_ = step;
  }

  // InvalidArgument, with both values, if a node asks for another dtype or
  // shape.
  Status MatchesNodeDef(const NodeDef& node) const {
    AccumulatorOptions asked;
    TF_RETURN_IF_ERROR(AccumulatorOptions::FromNode(node, &asked));
    if (asked.dtype != options_.dtype) {
      return errors::InvalidArgument(
          "Shared conditional accumulator '", options_.name, "' has data type ",
          DataTypeString(options_.dtype),
          " but requested element data type was ", DataTypeString(asked.dtype));
    }
    if (!asked.shape.IsIdenticalTo(options_.shape) ||
        asked.mean != options_.mean) {
      return errors::InvalidArgument(
          "Shared conditional accumulator '", options_.name, "' has shape ",
          options_.shape.DebugString(), " and reduction ",
          options_.mean ? "MEAN" : "SUM", " but requested were ",
          asked.shape.DebugString(), " and ", asked.mean ? "MEAN" : "SUM");
    }
    return OkStatus();
  }
  std::string DebugString() override { return "a conditional accumulator"; }

 protected:
  // Adds the gradient; count_ is the number of those before it.
  virtual Status Add(OpKernelContext* ctx) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) = 0;
  // Sets the outputs, and forgets all gradients.
  virtual Status Take(OpKernelContext* ctx)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) = 0;

  const AccumulatorOptions options_;
  int32_t count_ TF_GUARDED_BY(mu_) = 0;

 private:
  int64_t global_step_ TF_GUARDED_BY(mu_) = 0;
};

using AccumulatorPtr = core::RefCountPtr<ConditionalAccumulatorBase>;

// The accumulator that input 0 names.
inline Status FindAccumulator(OpKernelContext* ctx,
                              AccumulatorPtr* accumulator) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(ctx, 0, &handle));
  return LookupResource(ctx, handle, accumulator);
}

// Makes an Accumulator; the output is a reference to the names of container and
// accumulator.
template <typename Accumulator>
class AccumulatorOp final
    : public ResourceOpKernel<ConditionalAccumulatorBase> {
 public:
  explicit AccumulatorOp(OpKernelConstruction* ctx) : ResourceOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, AccumulatorOptions::FromNode(def(), &options_));
  }

 private:
  Status CreateResource(ConditionalAccumulatorBase** accumulator) override
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    AccumulatorOptions options = options_;
    options.name = cinfo_.name();
    *accumulator = new Accumulator(std::move(options));
    return OkStatus();
  }
  Status VerifyResource(ConditionalAccumulatorBase* accumulator) override {
    return accumulator->MatchesNodeDef(def());
  }

  AccumulatorOptions options_;
};

// Inputs: handle, local_step, and the parts of the accumulator's gradient. The
// value is input `kValue`.
template <int kValue>
class ApplyGradientOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    AccumulatorPtr accumulator;
    OP_REQUIRES_OK_ASYNC(ctx, FindAccumulator(ctx, &accumulator), done);
    const Tensor& step = ctx->input(1);
    OP_REQUIRES_ASYNC(ctx, step.NumElements() == 1,
                      errors::InvalidArgument(
                          type_string(), ": local_step must be a scalar, got ",
                          step.shape().DebugString()),
                      done);
    OP_REQUIRES_ASYNC(
        ctx, ctx->input(kValue).dtype() == accumulator->dtype(),
        errors::InvalidArgument(type_string(), ": the gradient must be ",
                                DataTypeString(accumulator->dtype()), ", got ",
                                DataTypeString(ctx->input(kValue).dtype())),
        done);
    ConditionalAccumulatorBase* const a = accumulator.get();
    const int64_t local_step = *step.base<int64_t>();
    a->TryUntilDone(
        ctx,
        [a, ctx, local_step]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
          return a->Apply(ctx, local_step);
        },
        [accumulator = std::move(accumulator), done = std::move(done)] {
          done();
        });
  }
};

// Inputs: handle, num_required.  The value is output `kValue`.
template <int kValue>
class TakeGradientOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    AccumulatorPtr accumulator;
    OP_REQUIRES_OK_ASYNC(ctx, FindAccumulator(ctx, &accumulator), done);
    const Tensor& required = ctx->input(1);
    OP_REQUIRES_ASYNC(
        ctx, required.NumElements() == 1 && *required.base<int32_t>() > 0,
        errors::InvalidArgument(type_string(),
                                ": Argument num_required must be positive, but "
                                "received: ",
                                required.SummarizeValue(3)),
        done);
    OP_REQUIRES_ASYNC(
        ctx, ctx->expected_output_dtype(kValue) == accumulator->dtype(),
        errors::InvalidArgument(type_string(), ": attr dtype must be ",
                                DataTypeString(accumulator->dtype())),
        done);
    ConditionalAccumulatorBase* const a = accumulator.get();
    const int32_t n = *required.base<int32_t>();
    a->TryUntilDone(
        ctx,
        [a, ctx, n]()
            ABSL_NO_THREAD_SAFETY_ANALYSIS { return a->TryTake(ctx, n); },
        [accumulator = std::move(accumulator), done = std::move(done)] {
          done();
        });
  }
};

using AccumulatorApplyGradientOp = ApplyGradientOp<2>;
using AccumulatorTakeGradientOp = TakeGradientOp<0>;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_CONDITIONAL_ACCUMULATOR_BASE_H_
