// SPDX-License-Identifier: Apache-2.0
// RemoteFusedGraphExecute: hands its inputs to an executor, and passes its
// results on.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/remote_fused_graph/remote_fused_graph_executor.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

constexpr char kOp[] = "RemoteFusedGraphExecute";
constexpr char kInfoAttr[] = "serialized_remote_fused_graph_execute_info";

// Adds the executor's name to a failure.
Status Of(const RemoteFusedGraphExecuteInfo& info, const Status& status) {
  if (status.ok()) return status;
  return Status(status.code(),
                absl::StrCat(kOp, ": the executor ", info.executor_name(), ": ",
                             status.error_message()));
}

class RemoteFusedGraphExecuteOp final : public OpKernel {
 public:
  explicit RemoteFusedGraphExecuteOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    std::string serialized;
    OP_REQUIRES_OK(ctx, ctx->GetAttr(kInfoAttr, &serialized));
    OP_REQUIRES(ctx, info_.ParseFromString(serialized),
                errors::InvalidArgument(kOp, ": attr ", kInfoAttr,
                                        " is no such message"));
    CheckCount(ctx, "graph_input_node_name", info_.graph_input_node_name_size(),
               num_inputs());
    CheckCount(ctx, "graph_output_node_name",
               info_.graph_output_node_name_size(), num_outputs());
    if (!ctx->status().ok()) return;
    auto made = MakeRemoteFusedGraphExecutor(info_.executor_name());
    OP_REQUIRES(ctx, made.ok(),
                Status(made.status().code(),
                       absl::StrCat(kOp, ": ", made.status().error_message())));
    executor_ = std::move(*made);
    OP_REQUIRES_OK(ctx, Of(info_, executor_->Init(info_)));
    is_initialized_ = true;
    OP_REQUIRES_OK(ctx, Of(info_, executor_->SetupGraph()));
    is_set_up_ = true;
  }

  ~RemoteFusedGraphExecuteOp() override {
    Status status;
    if (is_set_up_) status.Update(executor_->TeardownGraph());
    if (is_initialized_) status.Update(executor_->Finalize());
    if (!status.ok()) LOG(ERROR) << Of(info_, status);
  }

  void Compute(OpKernelContext* ctx) override {
    mutex_lock lock(mu_);  // Steps take turns.
    for (int i = 0; i < num_inputs(); ++i) {
      OP_REQUIRES_OK(
          ctx, Of(info_, executor_->FillInputNode(
                             info_.graph_input_node_name(i), ctx->input(i))));
    }
    OP_REQUIRES_OK(ctx, Of(info_, executor_->ExecuteGraph()));
    for (int i = 0; i < num_outputs(); ++i) {
      OP_REQUIRES_OK(ctx, Of(info_, ReadOutput(ctx, i)));
    }
  }

 private:
  static void CheckCount(OpKernelConstruction* ctx, const char* field,
                         int names, int tensors) {
    OP_REQUIRES(ctx, names == tensors,
                errors::InvalidArgument(kOp, ": attr ", kInfoAttr, " has ",
                                        names, " of ", field, ", and the node ",
                                        tensors, " such tensors"));
  }

  Status ReadOutput(OpKernelContext* ctx, int i) {
    Tensor* output = nullptr;
    const auto allocate = [&](const TensorShape& shape) -> StatusOr<Tensor*> {
      if (output != nullptr) {
        return errors::FailedPrecondition("output ", i,
                                          " was allocated already");
      }
      TF_RETURN_IF_ERROR(ctx->allocate_output(i, shape, &output));
      return output;
    };
    TF_RETURN_IF_ERROR(
        executor_->ReadOutputNode(info_.graph_output_node_name(i), allocate));
    if (output != nullptr) return OkStatus();
    return errors::Internal("no output was made of node ",
                            info_.graph_output_node_name(i));
  }

  RemoteFusedGraphExecuteInfo info_;
  mutex mu_;
  std::unique_ptr<IRemoteFusedGraphExecutor> executor_;
  bool is_initialized_ = false, is_set_up_ = false;
};
REGISTER_KERNEL_BUILDER(Name("RemoteFusedGraphExecute").Device(DEVICE_CPU),
                        RemoteFusedGraphExecuteOp);

}  // namespace
}  // namespace tensorwright
