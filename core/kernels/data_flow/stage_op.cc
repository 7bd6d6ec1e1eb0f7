// SPDX-License-Identifier: Apache-2.0
// Stage, Unstage and their kin: a buffer of tuples between two ops, in order.

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/data_flow/batch_rows.h"
#include "core/kernels/data_flow/queue_waiters.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using Tuple = std::vector<Tensor>;

int64_t Bytes(const Tuple& tuple) {
  int64_t bytes = 0;
  for (const Tensor& t : tuple) bytes += static_cast<int64_t>(t.TotalBytes());
  return bytes;
}

class StageBuffer final : public WaitersResource {
 public:
  // 0: no limit.
  StageBuffer(int64_t capacity, int64_t memory_limit)
      : capacity_(capacity), memory_limit_(memory_limit) {}

  Status CheckSize(const Tuple& tuple) const {
    if (memory_limit_ == 0 || Bytes(tuple) <= memory_limit_) return OkStatus();
    return errors::ResourceExhausted(
        "Attempted to insert tensors with combined size of '", Bytes(tuple),
        "' bytes into Staging Area with a memory limit of '", memory_limit_,
        "'.");
  }

  // Call the following under mu_; false means "not now".
  bool Put(Tuple* tuple) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const int64_t bytes = Bytes(*tuple);
    if (capacity_ > 0 && static_cast<int64_t>(tuples_.size()) >= capacity_) {
      return false;
    }
    if (memory_limit_ > 0 && bytes_ + bytes > memory_limit_) return false;
    bytes_ += bytes;
    tuples_.push_back(std::move(*tuple));
    return true;
  }
  bool Get(Tuple* tuple) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (tuples_.empty()) return false;
    *tuple = std::move(tuples_.front());
    tuples_.pop_front();
    bytes_ -= Bytes(*tuple);
    return true;
  }
  bool Peek(int64_t index, Tuple* tuple) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (index >= static_cast<int64_t>(tuples_.size())) return false;
    *tuple = tuples_[index];
    return true;
  }
  void Clear() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    tuples_.clear();
    bytes_ = 0;
  }

  int64_t size() const {
    tf_shared_lock lock(mu_);
    return static_cast<int64_t>(tuples_.size());
  }
  std::string DebugString() override {
    return absl::StrCat("a staging area of ", size());
  }

 private:
  const int64_t capacity_;
  const int64_t memory_limit_;
  int64_t bytes_ TF_GUARDED_BY(mu_) = 0;
  std::deque<Tuple> tuples_ TF_GUARDED_BY(mu_);
};

using BufferPtr = core::RefCountPtr<StageBuffer>;

// The buffer of the kernel's container and shared name; makes it if it does not
// exist.
Status FindBuffer(OpKernelContext* ctx, BufferPtr* buffer) {
  const NodeDef& node = ctx->op_kernel().def();
  ContainerInfo info;
  TF_RETURN_IF_ERROR(info.Init(ctx->resource_manager(), node,
                               /*use_node_name_as_default=*/true));
  StageBuffer* found = nullptr;
  TF_RETURN_IF_ERROR(info.resource_manager()->LookupOrCreate<StageBuffer>(
      info.container(), info.name(), &found, [&node](StageBuffer** made) {
        int64_t capacity, memory_limit;
        TF_RETURN_IF_ERROR(GetNodeAttr(node, "capacity", &capacity));
        TF_RETURN_IF_ERROR(GetNodeAttr(node, "memory_limit", &memory_limit));
        *made = new StageBuffer(capacity, memory_limit);
        return OkStatus();
      }));
  buffer->reset(found);
  return OkStatus();
}

// Sets all outputs; InvalidArgument if the tuple has other dtypes.
Status SetOutputs(OpKernelContext* ctx, const Tuple& tuple) {
  bool fits = static_cast<int>(tuple.size()) == ctx->num_outputs();
  for (size_t i = 0; fits && i < tuple.size(); ++i) {
    fits = tuple[i].dtype() == ctx->expected_output_dtype(static_cast<int>(i));
  }
  if (!fits) {
    DataTypeVector types;
    for (const Tensor& t : tuple) types.push_back(t.dtype());
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(),
        ": dtypes must be those of the staged tuple, ",
        DataTypeSliceString(types));
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    ctx->set_output(static_cast<int>(i), tuple[i]);
  }
  return OkStatus();
}

class StageOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    BufferPtr buffer;
    OP_REQUIRES_OK_ASYNC(ctx, FindBuffer(ctx, &buffer), done);
    auto tuple = std::make_shared<Tuple>(ctx->num_inputs());
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      OP_REQUIRES_OK_ASYNC(ctx, OwnTensor(ctx->input(i), &(*tuple)[i]), done);
    }
    OP_REQUIRES_OK_ASYNC(ctx, buffer->CheckSize(*tuple), done);
    StageBuffer* const b = buffer.get();
    b->TryUntilDone(
        ctx,
        [b, tuple]()
            ABSL_NO_THREAD_SAFETY_ANALYSIS { return b->Put(tuple.get()); },
        [buffer = std::move(buffer), done = std::move(done)] { done(); });
  }
};
REGISTER_KERNEL_BUILDER(Name("Stage").Device(DEVICE_CPU), StageOp);

// Unstage, and StagePeek, which leaves the tuple in place.
template <bool peeks>
class UnstageOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    BufferPtr buffer;
    OP_REQUIRES_OK_ASYNC(ctx, FindBuffer(ctx, &buffer), done);
    int64_t index = 0;
    if (peeks) {
      const Tensor& input = ctx->input(0);
      OP_REQUIRES_ASYNC(
          ctx, input.NumElements() == 1 && *input.base<int32_t>() >= 0,
          errors::InvalidArgument(type_string(),
                                  ": index must be a scalar >= 0, got ",
                                  input.SummarizeValue(3)),
          done);
      index = *input.base<int32_t>();
    }
    StageBuffer* const b = buffer.get();
    auto tuple = std::make_shared<Tuple>();
    b->TryUntilDone(
        ctx,
        [b, tuple, index]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
          return peeks ? b->Peek(index, tuple.get()) : b->Get(tuple.get());
        },
        [ctx, tuple, buffer = std::move(buffer), done = std::move(done)] {
          if (ctx->status().ok()) ctx->SetStatus(SetOutputs(ctx, *tuple));
          done();
        });
  }
};
using PlainUnstageOp = UnstageOp</*peeks=*/false>;
using StagePeekOp = UnstageOp</*peeks=*/true>;
REGISTER_KERNEL_BUILDER(Name("Unstage").Device(DEVICE_CPU), PlainUnstageOp);
REGISTER_KERNEL_BUILDER(Name("StagePeek").Device(DEVICE_CPU), StagePeekOp);

class StageSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    BufferPtr buffer;
    OP_REQUIRES_OK(ctx, FindBuffer(ctx, &buffer));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    *size->base<int32_t>() = static_cast<int32_t>(buffer->size());
  }
};
REGISTER_KERNEL_BUILDER(Name("StageSize").Device(DEVICE_CPU), StageSizeOp);

class StageClearOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    BufferPtr buffer;
    OP_REQUIRES_OK_ASYNC(ctx, FindBuffer(ctx, &buffer), done);
    StageBuffer* const b = buffer.get();
    // Ops that wait for room may go on then.
    b->TryUntilDone(
        ctx,
        [b]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
          b->Clear();
          return true;
        },
        [buffer = std::move(buffer), done = std::move(done)] { done(); });
  }
};
REGISTER_KERNEL_BUILDER(Name("StageClear").Device(DEVICE_CPU), StageClearOp);

}  // namespace
}  // namespace tensorwright
