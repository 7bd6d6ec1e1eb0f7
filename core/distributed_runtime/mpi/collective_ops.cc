// SPDX-License-Identifier: Apache-2.0
// Collectives as ops: all-reduce, all-gather and broadcast among processes that
// mpirun started.  A group of one needs no MPI.
//
// They are in the library that links MPI, not in the main one, so a program
// that does not ask for them loads neither.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/distributed_runtime/mpi/engine.h"
#include "core/framework/cancellation.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/device_base.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"

namespace tensorwright {
namespace mpi {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// [n, ...] -> [n * group_size, ...].
Status GatheredShape(InferenceContext* c) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  int64_t group_size = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("group_size", &group_size));
  DimensionHandle rows;
  TF_RETURN_IF_ERROR(c->Multiply(c->Dim(input, 0), group_size, &rows));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->ReplaceDim(input, 0, rows, &out));
  c->set_output(0, out);
  return OkStatus();
}

// Takes the attr `shape`; an input must fit it.
Status BroadcastShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  if (c->num_inputs() > 0) {
    TF_RETURN_IF_ERROR(c->Merge(c->input(0), out, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

REGISTER_OP("CollectiveReduce")
    .Input("input: T")
    .Output("data: T")
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
    .Attr("final_op: {'Id', 'Div'}")
    .Attr("subdiv_offsets: list(int)")
    .Attr("wait_for: list(int) = []")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .SetIsStateful()
    .Touches("network")
    .Needs("blocking")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Merges the inputs [...] of all group_size members elementwise; each "
        "gets the result [...], divided by group_size where final_op is Div.");

REGISTER_OP("CollectiveGather")
    .Input("input: T")
    .Output("data: T")
    .Attr("T: {float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("shape: shape")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .SetIsStateful()
    .Touches("network")
    .Needs("blocking")
    .SetShapeFn(GatheredShape)
    .Doc(
        "The inputs [n, ...] of all members, one after the other by rank: "
        "[n * group_size, ...].");

REGISTER_OP("CollectiveBcastSend")
    .Input("input: T")
    .Output("data: T")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("shape: shape")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .SetIsStateful()
    .Touches("network")
    .Needs("blocking")
    .SetShapeFn(BroadcastShape)
    .Doc(
        "Gives input [...] to the CollectiveBcastRecv of all other members, "
        "and "
        "passes it on.");

REGISTER_OP("CollectiveBcastRecv")
    .Output("data: T")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("shape: shape")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .SetIsStateful()
    .Touches("network")
    .Needs("blocking")
    .SetShapeFn(BroadcastShape)
    .Doc("The tensor [...] that the group's CollectiveBcastSend was given.");

// Submits a request in a step, and waits for its answer without a thread.
class CollectiveOp : public AsyncOpKernel {
 public:
  explicit CollectiveOp(OpKernelConstruction* ctx, Kind kind)
      : AsyncOpKernel(ctx), kind_(kind) {
    int32_t group_key = 0, instance_key = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("group_size", &group_size_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("group_key", &group_key));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("instance_key", &instance_key));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("timeout_seconds", &timeout_));
    OP_REQUIRES(
        ctx, group_size_ > 0,
        errors::InvalidArgument(type_string(), ": group_size must be > 0, got ",
                                group_size_));
    OP_REQUIRES(
        ctx, timeout_ >= 0,
        errors::InvalidArgument(
            type_string(), ": timeout_seconds must be >= 0, got ", timeout_));
    key_ = MakeKey(group_key, instance_key);
  }
  bool IsExpensive() override { return false; }

 protected:
  // Lets the group fill `output`, which Compute made from ctx's input.
  void Ask(OpKernelContext* ctx, const Tensor& input, Tensor output,
           Merge merge, bool divide, DoneCallback done) {
    const int size = std::max(1, CurrentWorld().size);
    OP_REQUIRES_ASYNC(ctx, group_size_ <= size,
                      errors::FailedPrecondition(
                          type_string(), ": a group of ", group_size_,
                          " needs as many "
                          "processes, and there are ",
                          size,
                          ": start the program by mpirun "
                          "and call tensorwright.cluster.mpi.init() first"),
                      done);
    auto request = std::make_shared<Request>();
    Announcement& announcement = request->announcement;
    announcement.key = key_;
    announcement.group_size = group_size_;
    announcement.kind = kind_;
    announcement.merge = merge;
    announcement.dtype = dtype_;
    const Tensor& part = kind_ == Kind::kReceive ? output : input;
    announcement.bytes = static_cast<int64_t>(part.tensor_data().size());
    const std::string shape = part.shape().DebugString();
    shape.copy(announcement.shape, sizeof(announcement.shape) - 1);
    request->input = input;
    request->output = output;
    request->divide = divide;
    if (timeout_ > 0) {
      request->deadline =
          std::chrono::steady_clock::now() +
          std::chrono::microseconds(static_cast<int64_t>(timeout_ * 1e6));
    }
    CancellationManager* const manager = ctx->cancellation_manager();
    CancellationToken token = CancellationManager::kInvalidToken;
    if (manager != nullptr) token = manager->get_cancellation_token();
    // The executor goes on with the following nodes, which must not be on the
    // engine's thread.
    thread::ThreadPool* const workers =
        ctx->device()->tensorflow_cpu_worker_threads()->workers;
    request->done = [this, ctx, output, manager, token, workers,
                     done](const Status& status) {
      workers->Schedule([this, ctx, output, manager, token, done, status] {
        // Must not wait for callbacks: this may run in one.
        if (manager != nullptr) manager->TryDeregisterCallback(token);
        if (status.ok()) {
          ctx->set_output(0, output);
        } else {
          ctx->SetStatus(Status(status.code(), absl::StrCat(type_string(), ": ",
                                                            status.message())));
        }
        done();
      });
    };
    if (manager != nullptr && !manager->RegisterCallback(token, [request] {
          request->Answer(errors::Cancelled("the step was cancelled"));
        })) {
      ctx->SetStatus(errors::Cancelled("the step was cancelled"));
      return done();
    }
    const Status submitted = Submit(request);
    if (!submitted.ok()) request->Answer(submitted);
  }

  bool alone() const { return group_size_ == 1; }
  DataType dtype() const { return dtype_; }
  int32_t group_size() const { return group_size_; }

 private:
  const Kind kind_;
  int32_t group_size_ = 0;
  Key key_ = 0;
  DataType dtype_ = DT_FLOAT;
  float timeout_ = 0;
};

class CollectiveReduceOp final : public CollectiveOp {
 public:
  explicit CollectiveReduceOp(OpKernelConstruction* ctx)
      : CollectiveOp(ctx, Kind::kReduce) {
    std::string merge, final;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("merge_op", &merge));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("final_op", &final));
    merge_ = merge == "Add"   ? Merge::kAdd
             : merge == "Mul" ? Merge::kMul
             : merge == "Min" ? Merge::kMin
                              : Merge::kMax;
    divide_ = final == "Div";
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& input = ctx->input(0);
    if (alone()) {
      ctx->set_output(0, input);
      return done();
    }
    Tensor output;
    OP_REQUIRES_OK_ASYNC(
        ctx, ctx->allocate_temp(dtype(), input.shape(), &output), done);
    Ask(ctx, input, std::move(output), merge_, divide_, std::move(done));
  }

 private:
  Merge merge_ = Merge::kAdd;
  bool divide_ = false;
};
REGISTER_KERNEL_BUILDER(Name("CollectiveReduce").Device(DEVICE_CPU),
                        CollectiveReduceOp);

class CollectiveGatherOp final : public CollectiveOp {
 public:
  explicit CollectiveGatherOp(OpKernelConstruction* ctx)
      : CollectiveOp(ctx, Kind::kGather) {}

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& input = ctx->input(0);
    OP_REQUIRES_ASYNC(ctx, input.dims() > 0,
                      errors::InvalidArgument(
                          "CollectiveGather: input must have rank >= 1, got ",
                          input.shape().DebugString()),
                      done);
    if (alone()) {
      ctx->set_output(0, input);
      return done();
    }
    TensorShape shape = input.shape();
    shape.set_dim(0, shape.dim_size(0) * group_size());
    Tensor output;
    OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_temp(dtype(), shape, &output),
                         done);
    Ask(ctx, input, std::move(output), Merge::kAdd, false, std::move(done));
  }
};
REGISTER_KERNEL_BUILDER(Name("CollectiveGather").Device(DEVICE_CPU),
                        CollectiveGatherOp);

class CollectiveBcastSendOp final : public CollectiveOp {
 public:
  explicit CollectiveBcastSendOp(OpKernelConstruction* ctx)
      : CollectiveOp(ctx, Kind::kSend) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& input = ctx->input(0);
    OP_REQUIRES_ASYNC(
        ctx, shape_.IsCompatibleWith(input.shape()),
        errors::InvalidArgument(
            "CollectiveBcastSend: input must have the shape ",
            shape_.DebugString(), ", got ", input.shape().DebugString()),
        done);
    if (alone()) {
      ctx->set_output(0, input);
      return done();
    }
    Ask(ctx, input, input, Merge::kAdd, false, std::move(done));
  }

 private:
  PartialTensorShape shape_;
};
REGISTER_KERNEL_BUILDER(Name("CollectiveBcastSend").Device(DEVICE_CPU),
                        CollectiveBcastSendOp);

class CollectiveBcastRecvOp final : public CollectiveOp {
 public:
  explicit CollectiveBcastRecvOp(OpKernelConstruction* ctx)
      : CollectiveOp(ctx, Kind::kReceive) {
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape));
    OP_REQUIRES(ctx, shape.AsTensorShape(&shape_),
                errors::InvalidArgument(
                    "CollectiveBcastRecv: shape must be known, got ",
                    shape.DebugString()));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    OP_REQUIRES_ASYNC(ctx, !alone(),
                      errors::InvalidArgument(
                          "CollectiveBcastRecv: group_size must be > 1: in a "
                          "group of one nobody sends"),
                      done);
    Tensor output;
    OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_temp(dtype(), shape_, &output),
                         done);
    Ask(ctx, Tensor(dtype()), std::move(output), Merge::kAdd, false,
        std::move(done));
  }

 private:
  TensorShape shape_;
};
REGISTER_KERNEL_BUILDER(Name("CollectiveBcastRecv").Device(DEVICE_CPU),
                        CollectiveBcastRecvOp);

}  // namespace
}  // namespace mpi
}  // namespace tensorwright

// For Python, which also loads this library by ctypes: MPI begins when a
// program asks for it, not when the ops are loaded.
extern "C" {

// Fills {rank, size, local_rank, local_size}; on failure returns false, with
// the words in `error`.
__attribute__((visibility("default"))) bool TensorwrightMpiStart(
    int* world, char* error, int error_size) {
  tensorwright::mpi::World started;
  const tensorwright::Status status = tensorwright::mpi::Start(&started);
  const std::string words(status.message());
  const size_t length =
      words.copy(error, static_cast<size_t>(std::max(0, error_size - 1)));
  error[length] = '\0';
  const int values[] = {started.rank, started.size, started.local_rank,
                        started.local_size};
  std::copy(std::begin(values), std::end(values), world);
  return status.ok();
}

__attribute__((visibility("default"))) void TensorwrightMpiStop() {
  tensorwright::mpi::Stop();
}
}
