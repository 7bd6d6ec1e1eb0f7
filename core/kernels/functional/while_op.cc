// SPDX-License-Identifier: Apache-2.0
// While and For: a function computes the next values of the inputs, again and
// again.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/framework/cancellation.h"
#include "core/kernels/functional/call_function.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

// The functions that one loop calls: cond and body, or body with a number.
struct LoopFunctions {
  const CalledFunction* cond = nullptr;  // Null: For.
  const CalledFunction* body = nullptr;
  const std::vector<PartialTensorShape>* shapes = nullptr;
};

// One run of a loop; deletes itself when it has called `done`.
//
// A call may end before it returns, in the thread that began it, or later in
// another one.  In the first case the loop goes on in Continue, in the second
// in the callback, so no iteration is deeper in the stack than the one before.
class Loop {
 public:
  Loop(OpKernelContext* ctx, const LoopFunctions& functions, int first_input,
       AsyncOpKernel::DoneCallback done)
      : ctx_(ctx),
        functions_(functions),
        done_(std::move(done)),
        values_(InputsFrom(ctx, first_input)),
        begun_(absl::Now()) {}

  void CountFrom(int64_t start, int64_t limit, int64_t delta) {
    number_ = start;
    limit_ = limit;
    delta_ = delta;
  }

  // Makes calls until one goes on elsewhere, or the loop has ended.
  void Continue() {
    while (true) {
      CancellationManager* const canceller = ctx_->cancellation_manager();
      if (canceller != nullptr && canceller->IsCancelled()) {
        return End(errors::Cancelled(ctx_->op_kernel().type_string(),
                                     ": the loop was cancelled"));
      }
      if (functions_.cond == nullptr && !CountsOn()) return End(OkStatus());
      if (!is_elsewhere_ && absl::Now() - begun_ > kPatience) {
        is_elsewhere_ = true;
        Env::Default()->SchedClosure([this] { Continue(); });
        return;
      }
      turn_.store(kCalling, std::memory_order_relaxed);
      Call();
      if (turn_.exchange(kReturned) != kEnded) return;
      if (!TakeResults()) return;
    }
  }

 private:
  // The thread that begins the loop may be the one that watches the run's
  // deadline, and then must not stay longer than this.
  static constexpr absl::Duration kPatience = absl::Milliseconds(2);

  enum Turn { kCalling, kReturned, kEnded };

  bool CountsOn() const {
    return delta_ > 0 ? number_ < limit_ : number_ > limit_;
  }

  void Call() {
    const auto ended = [this](const Status& status) {
      status_ = status;
      // From now on Continue may be running: either it has the turn, or this
      // has.
      if (turn_.exchange(kEnded) == kReturned && TakeResults()) Continue();
    };
    if (functions_.cond == nullptr) {
      std::vector<Tensor> args = {Tensor(static_cast<int32_t>(number_))};
      args.insert(args.end(), values_.begin(), values_.end());
      functions_.body->Run(ctx_, args, &results_, ended);
    } else {
      (in_body_ ? functions_.body : functions_.cond)
          ->Run(ctx_, values_, &results_, ended);
    }
  }

  // False if the loop has ended.
  bool TakeResults() {
    if (!status_.ok()) return End(status_), false;
    if (functions_.cond == nullptr) {
      values_ = std::move(results_);
      number_ += delta_;
      return true;
    }
    if (in_body_) {
      values_ = std::move(results_);
      in_body_ = false;
      return true;
    }
    const Status status = ToBool(results_[0], &in_body_);
    if (status.ok() && in_body_) return true;
    return End(status), false;
  }

  void End(Status status) {
    if (status.ok()) status = SetOutputs(ctx_, *functions_.shapes, &values_);
    ctx_->SetStatus(status);
    const AsyncOpKernel::DoneCallback done = std::move(done_);
    delete this;
    done();
  }

  OpKernelContext* const ctx_;
  const LoopFunctions functions_;
  AsyncOpKernel::DoneCallback done_;
  std::vector<Tensor> values_;
  std::vector<Tensor> results_;
  Status status_;
  bool in_body_ = false;
  bool is_elsewhere_ = false;
  const absl::Time begun_;
  std::atomic<Turn> turn_{kCalling};
  int64_t number_ = 0;
  int64_t limit_ = 0;
  int64_t delta_ = 0;
};

class WhileOp final : public AsyncOpKernel {
 public:
  explicit WhileOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    const DataTypeSlice types = ctx->input_types();
    OP_REQUIRES_OK(ctx, body_.Init(ctx, "body", types, types));
    OP_REQUIRES_OK(ctx, cond_.InitPredicate(ctx, "cond", types));
    OP_REQUIRES_OK(ctx, OutputShapes(ctx, &shapes_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const LoopFunctions functions = {&cond_, &body_, &shapes_};
    (new Loop(ctx, functions, 0, std::move(done)))->Continue();
  }

 private:
  CalledFunction cond_;
  CalledFunction body_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("While").Device(DEVICE_CPU), WhileOp);
REGISTER_KERNEL_BUILDER(Name("StatelessWhile").Device(DEVICE_CPU), WhileOp);

class ForOp final : public AsyncOpKernel {
 public:
  explicit ForOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    DataTypeVector args = {DT_INT32};
    for (const DataType type : ctx->output_types()) args.push_back(type);
    OP_REQUIRES_OK(ctx, body_.Init(ctx, "body", args, ctx->output_types()));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    int64_t numbers[3];
    for (int i = 0; i < 3; ++i) numbers[i] = *ctx->input(i).base<int32_t>();
    const auto [start, limit, delta] = numbers;
    const bool is_finite = delta > 0   ? start <= limit
                           : delta < 0 ? start >= limit
                                       : start == limit;
    OP_REQUIRES_ASYNC(
        ctx, is_finite,
        errors::InvalidArgument("For: delta must lead from start to limit, got "
                                "start ",
                                start, ", limit ", limit, ", delta ", delta),
        done);
    auto* const loop =
        new Loop(ctx, {nullptr, &body_, &shapes_}, 3, std::move(done));
    loop->CountFrom(start, limit, delta);
    loop->Continue();
  }

 private:
  CalledFunction body_;
  const std::vector<PartialTensorShape> shapes_;  // Any shapes.
};
REGISTER_KERNEL_BUILDER(Name("For").Device(DEVICE_CPU), ForOp);

}  // namespace
}  // namespace tensorwright
