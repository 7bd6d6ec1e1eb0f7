// SPDX-License-Identifier: Apache-2.0
// _Send and _Recv: they carry an edge between two devices through the run's
// Rendezvous.

#include <string>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/rendezvous.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

// The names of one edge, and its key in each iteration of a loop.
class EdgeKey {
 public:
  void Init(OpKernelConstruction* ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("send_device", &send_device_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("recv_device", &recv_device_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("tensor_name", &tensor_name_));
    int64_t incarnation = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("send_device_incarnation", &incarnation));
    incarnation_ = static_cast<uint64_t>(incarnation);
    OP_REQUIRES_OK(ctx, Make(FrameAndIter(0, 0), &root_key_));
  }

  // Calls use(key) for that frame and iteration.  Outside loops it makes
  // nothing new.
  template <typename Use>
  Status With(const FrameAndIter& frame_iter, Use use) const {
    if (frame_iter == FrameAndIter(0, 0)) return use(root_key_);
    Rendezvous::ParsedKey key;
    TF_RETURN_IF_ERROR(Make(frame_iter, &key));
    return use(key);
  }

 private:
  Status Make(const FrameAndIter& frame_iter,
              Rendezvous::ParsedKey* key) const {
    return Rendezvous::ParseKey(
        Rendezvous::CreateKey(send_device_, incarnation_, recv_device_,
                              tensor_name_, frame_iter),
        key);
  }

  std::string send_device_, recv_device_, tensor_name_;
  uint64_t incarnation_ = 0;
  Rendezvous::ParsedKey root_key_;
};

class SendOp final : public OpKernel {
 public:
  explicit SendOp(OpKernelConstruction* ctx) : OpKernel(ctx) { key_.Init(ctx); }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(
        ctx, ctx->rendezvous() != nullptr,
        errors::Internal("Op kernel context needs to provide a rendezvous."));
    Rendezvous::Args args;
    args.device_context = ctx->op_device_context();
    args.alloc_attrs = ctx->input_alloc_attr(0);
    OP_REQUIRES_OK(
        ctx, key_.With(ctx->frame_iter(), [&](const auto& key) -> Status {
          const bool is_dead = ctx->is_input_dead() || !ctx->has_input(0);
          return ctx->rendezvous()->Send(
              key, args, is_dead ? Tensor(input_type(0)) : ctx->input(0),
              is_dead);
        }));
  }
  bool IsExpensive() override { return false; }

 private:
  EdgeKey key_;
};
REGISTER_KERNEL_BUILDER(Name("_Send").Device(DEVICE_CPU), SendOp);
REGISTER_KERNEL_BUILDER(Name("_Send").Device(DEVICE_DEFAULT), SendOp);
REGISTER_KERNEL_BUILDER(
    Name("_HostSend").Device(DEVICE_CPU).HostMemory("tensor"), SendOp);
REGISTER_KERNEL_BUILDER(
    Name("_HostSend").Device(DEVICE_DEFAULT).HostMemory("tensor"), SendOp);

class RecvOp final : public AsyncOpKernel {
 public:
  explicit RecvOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    key_.Init(ctx);
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    OP_REQUIRES_ASYNC(
        ctx, ctx->rendezvous() != nullptr,
        errors::Internal("Op kernel context needs to provide a rendezvous."),
        done);
    Rendezvous::Args args;
    args.device_context = ctx->op_device_context();
    args.alloc_attrs = ctx->output_alloc_attr(0);
    args.cancellation_manager = ctx->cancellation_manager();
    const auto receive = [ctx, &args, &done](const auto& key) -> Status {
      ctx->rendezvous()->RecvAsync(
          key, args,
          [ctx, done](const Status& status, const Rendezvous::Args&,
                      const Rendezvous::Args&, const Tensor& value,
                      bool is_dead) {
            ctx->SetStatus(status);
            if (status.ok()) {
              if (!is_dead) ctx->set_output(0, value);
              *ctx->is_output_dead() = is_dead;
            }
            done();
          });
      return OkStatus();
    };
    OP_REQUIRES_OK_ASYNC(ctx, key_.With(ctx->frame_iter(), receive), done);
  }
  bool IsExpensive() override { return false; }

 private:
  EdgeKey key_;
};
REGISTER_KERNEL_BUILDER(Name("_Recv").Device(DEVICE_CPU), RecvOp);
REGISTER_KERNEL_BUILDER(Name("_Recv").Device(DEVICE_DEFAULT), RecvOp);
REGISTER_KERNEL_BUILDER(
    Name("_HostRecv").Device(DEVICE_CPU).HostMemory("tensor"), RecvOp);
REGISTER_KERNEL_BUILDER(
    Name("_HostRecv").Device(DEVICE_DEFAULT).HostMemory("tensor"), RecvOp);

}  // namespace
}  // namespace tensorwright
