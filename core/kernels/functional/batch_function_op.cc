// SPDX-License-Identifier: Apache-2.0
// BatchFunction: calls a function with the rows of several runs.

#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/functional/batch_function_op_batcher.h"
#include "core/kernels/functional/call_function.h"
#include "core/lib/core/errors.h"
#include "core/platform/cpu_info.h"

namespace tensorwright {
namespace {

class BatchFunctionOp final : public AsyncOpKernel {
 public:
  explicit BatchFunctionOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(
        ctx, function_.Init(ctx, "f", ctx->input_types(), ctx->output_types()));
    DataTypeVector captured;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tcaptured", &captured));
    captured_ = static_cast<int>(captured.size());
    OP_REQUIRES_OK(ctx, ReadOptions(ctx));
    OP_REQUIRES_OK(ctx, options_.Check(type_string()));
    OP_REQUIRES_OK(ctx, info_.Init(ctx->resource_manager(), ctx->def(),
                                   /*use_node_name_as_default=*/true));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    int64_t rows = 0;
    OP_REQUIRES_OK_ASYNC(ctx, Rows(ctx, &rows), done);
    Batcher* batcher = nullptr;
    OP_REQUIRES_OK_ASYNC(ctx,
                         info_.resource_manager()->LookupOrCreate<Batcher>(
                             info_.container(), info_.name(), &batcher,
                             [this](Batcher** made) {
                               *made = new Batcher(options_);
                               return OkStatus();
                             }),
                         done);
    const core::ScopedUnref unref(batcher);
    batcher->Compute(ctx, &function_, rows, captured_, std::move(done));
  }

 private:
  Status ReadOptions(OpKernelConstruction* ctx) {
    std::string policy;
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("num_batch_threads", &options_.num_batch_threads));
    if (options_.num_batch_threads <= 0) {
      options_.num_batch_threads = port::NumSchedulableCPUs();
    }
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("max_batch_size", &options_.max_batch_size));
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("batch_timeout_micros", &options_.batch_timeout_micros));
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("max_enqueued_batches", &options_.max_enqueued_batches));
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("allowed_batch_sizes", &options_.allowed_batch_sizes));
    TF_RETURN_IF_ERROR(
        ctx->GetAttr("enable_large_batch_splitting", &options_.splits));
    TF_RETURN_IF_ERROR(ctx->GetAttr("batch_padding_policy", &policy));
    // Costs of a TPU are not known, so the policy that goes by them pads.
    options_.batches_down = policy == "BATCH_DOWN";
    return OkStatus();
  }

  // The number of rows, which all batched inputs have.
  Status Rows(OpKernelContext* ctx, int64_t* rows) const {
    for (int i = 0; i + captured_ < ctx->num_inputs(); ++i) {
      const TensorShape& shape = ctx->input(i).shape();
      if (shape.dims() == 0) {
        return errors::InvalidArgument(
            "BatchFunction: in_tensors must have rank >= 1, got shape [] for "
            "number ",
            i);
      }
      if (i > 0 && shape.dim_size(0) != *rows) {
        return errors::InvalidArgument(
            "BatchFunction: in_tensors must have equal numbers of rows, got ",
            *rows, " for number 0 and ", shape.dim_size(0), " for number ", i);
      }
      *rows = shape.dim_size(0);
    }
    return OkStatus();
  }

  CalledFunction function_;
  int captured_ = 0;
  BatchOptions options_;
  ContainerInfo info_;
};
REGISTER_KERNEL_BUILDER(Name("BatchFunction").Device(DEVICE_CPU),
                        BatchFunctionOp);

}  // namespace
}  // namespace tensorwright
