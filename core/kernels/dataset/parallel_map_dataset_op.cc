// SPDX-License-Identifier: Apache-2.0
// ParallelMapDataset: a function of each element, several calls at a time.

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/cancellable_wait.h"
#include "core/kernels/dataset/captured_function.h"
#include "core/lib/core/threadpool.h"

namespace tensorwright {
namespace {

constexpr int64_t kAutotune = -1;
// At most this many calls are in progress.
constexpr int64_t kMostCalls = 1024;

// Do results come in the order of their elements, in any order, or as options
// ask?
enum class Order { kKept, kAny, kOption };

// One call.  The thread that claims it makes it: a thread of the pool, or the
// one that waits for the result, which therefore never waits for a free thread.
struct Call {
  std::atomic<bool> claimed{false};
  Element args;
  int64_t index = 0;
  // The mutex of Shared guards the setting of these:
  bool done = false;
  Status status;
  Element rets;
};

// The state that the iterator shares with its calls, and outlives.
struct Shared {
  mutex mu;
  condition_variable changed;
  int running = 0;  // Calls that threads of the pool make.
};

class ParallelMapDataset final : public UnaryDataset {
 public:
  ParallelMapDataset(DatasetPtr input,
                     std::unique_ptr<CapturedFunction> function, int64_t calls,
                     Order order, bool preserve_cardinality,
                     DataTypeVector dtypes,
                     std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        function_(std::move(function)),
        calls_(calls),
        order_(order),
        preserve_cardinality_(preserve_cardinality) {}

  std::string Name() const override { return "ParallelMap"; }
  bool MayWait() const override { return true; }
  int64_t Cardinality() const override {
    return preserve_cardinality_ ? input().Cardinality() : kUnknown;
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(auto input_iterator, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(auto function, function_->Instantiate(ctx));
    return std::unique_ptr<IteratorBase>(
        new Iterator(this, *ctx, std::move(input_iterator), function));
  }

 private:
  class Iterator final : public DatasetIterator<ParallelMapDataset> {
   public:
    Iterator(const ParallelMapDataset* d, IteratorContext ctx,
             std::unique_ptr<IteratorBase> input,
             const InstantiatedFunction& function)
        : DatasetIterator(d),
          ctx_(ctx),
          input_(std::move(input)),
          function_(function),
          any_order_(d->order_ == Order::kAny ||
                     (d->order_ == Order::kOption && !ctx.deterministic)) {
      ctx_.cancellation = &cancellation_;
    }

    ~Iterator() override {
      // Calls that nobody has begun are not begun any more.
      for (const std::shared_ptr<Call>& call : calls_) {
        call->claimed.exchange(true);
      }
      cancellation_.StartCancel();
      mutex_lock lock(shared_->mu);
      while (shared_->running > 0) shared_->changed.wait(lock);
    }

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (ended_) return false;
      TF_RETURN_IF_ERROR(Fill(ctx));
      if (calls_.empty()) {
        ended_ = input_ == nullptr;
        if (!failed_input_.ok()) return std::exchange(failed_input_, Status());
        return false;
      }
      if (any_order_) BringForward();
      if (!calls_.front()->claimed.exchange(true)) {
        // Runs in this thread, so the thread that waits for it may give up.
        IteratorContext own = ctx_;
        own.cancellation = ctx->cancellation;
        Make(calls_.front().get(), &own);
      } else {
        TF_RETURN_IF_ERROR(WaitFor(ctx, *calls_.front()));
        if (any_order_) BringForward();
      }
      const std::shared_ptr<Call> call = std::move(calls_.front());
      calls_.pop_front();
      if (call->status.ok()) {
        *out = std::move(call->rets);
        return true;
      }
      return End(*call);
    }

   private:
    // Brings forward the first call that is done, or else the first that nobody
    // has begun.
    void BringForward() {
      auto found = calls_.end();
      {
        mutex_lock lock(shared_->mu);
        found = FindDone();
      }
      if (found == calls_.end()) {
        found = std::find_if(calls_.begin(), calls_.end(),
                             [](const auto& call) { return !call->claimed; });
      }
      if (found != calls_.end()) std::rotate(calls_.begin(), found, found + 1);
    }

    // Call it with the mutex of Shared.
    std::deque<std::shared_ptr<Call>>::iterator FindDone() {
      return std::find_if(calls_.begin(), calls_.end(),
                          [](const auto& call) { return call->done; });
    }

    StatusOr<bool> End(const Call& call) {
      const Status status =
          AtElement(call.status, "ParallelMapDataset", call.index);
      if (!errors::IsOutOfRange(status)) return status;
      if (dataset().preserve_cardinality_) {
        return errors::InvalidArgument(
            "Function invocation produced OutOfRangeError: ", status.message());
      }
      ended_ = true;
      return false;
    }

    // Begins calls until as many as allowed are in progress.
    Status Fill(IteratorContext* ctx) {
      while (input_ != nullptr && failed_input_.ok() &&
             static_cast<int64_t>(calls_.size()) < dataset().calls_) {
        auto call = std::make_shared<Call>();
        const StatusOr<bool> more = input_->GetNext(ctx, &call->args);
        if (!more.ok()) {
          // The error comes after the calls that were begun before it.
          if (calls_.empty()) return more.status();
          failed_input_ = more.status();
          break;
        }
        if (!*more) {
          input_ = nullptr;
          break;
        }
        call->index = next_++;
        calls_.push_back(call);
        // If there may be only one call, the caller itself makes it.
        if (dataset().calls_ > 1 && ctx_.threads->NumThreads() > 1) {
          Schedule(std::move(call));
        }
      }
      if (calls_.empty() && !failed_input_.ok()) {
        return std::exchange(failed_input_, Status());
      }
      return OkStatus();
    }

    void Schedule(std::shared_ptr<Call> call) {
      ctx_.threads->Schedule([this, call = std::move(call), s = shared_] {
        {
          // After this, the iterator waits for the call.
          mutex_lock lock(s->mu);
          if (call->claimed.exchange(true)) return;
          ++s->running;
        }
        Make(call.get(), &ctx_);
        mutex_lock lock(s->mu);
        --s->running;
        s->changed.notify_all();
      });
    }

    void Make(Call* call, IteratorContext* ctx) {
      Element rets;
      Status status = function_.Run(ctx, std::move(call->args), &rets);
      mutex_lock lock(shared_->mu);
      call->status = std::move(status);
      call->rets = std::move(rets);
      call->done = true;
      shared_->changed.notify_all();
    }

    // Waits for it, or for any other call if they may come in any order.
    Status WaitFor(IteratorContext* ctx, const Call& call) {
      CancellableWait wait(ctx->cancellation, &shared_->mu, &shared_->changed);
      mutex_lock lock(shared_->mu);
      const auto done = [this, &call] {
        return any_order_ ? FindDone() != calls_.end() : call.done;
      };
      while (!done() && !wait.cancelled()) shared_->changed.wait(lock);
      if (done()) return OkStatus();
      return errors::Cancelled("ParallelMapDataset: was cancelled");
    }

    CancellationManager cancellation_;
    IteratorContext ctx_;
    std::unique_ptr<IteratorBase> input_;
    const InstantiatedFunction function_;
    const bool any_order_;
    const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
    std::deque<std::shared_ptr<Call>> calls_;
    Status failed_input_;
    int64_t next_ = 0;
    bool ended_ = false;
  };

  const std::unique_ptr<CapturedFunction> function_;
  const int64_t calls_;
  const Order order_;
  const bool preserve_cardinality_;
};

class ParallelMapDatasetOp final : public FunctionDatasetOp {
 public:
  explicit ParallelMapDatasetOp(OpKernelConstruction* ctx)
      : FunctionDatasetOp(ctx, "f") {
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("preserve_cardinality", &preserve_cardinality_));
    if (ctx->HasAttr("deterministic")) {
      std::string deterministic;
      OP_REQUIRES_OK(ctx, ctx->GetAttr("deterministic", &deterministic));
      OP_REQUIRES(
          ctx,
          deterministic == "true" || deterministic == "false" ||
              deterministic == "default",
          errors::InvalidArgument(type_string(),
                                  ": deterministic must be one of true, "
                                  "false and default, got ",
                                  deterministic));
      if (deterministic == "true") order_ = Order::kKept;
      if (deterministic == "false") order_ = Order::kAny;
    } else if (ctx->HasAttr("sloppy")) {
      bool sloppy = false;
      OP_REQUIRES_OK(ctx, ctx->GetAttr("sloppy", &sloppy));
      order_ = sloppy ? Order::kAny : Order::kOption;
    }
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::unique_ptr<CapturedFunction> function;
    int64_t calls = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(Function(ctx, &function));
    if (input_type(num_inputs() - 1) == DT_INT32) {
      int32_t narrow = 0;
      TF_RETURN_IF_ERROR(ScalarArgument(ctx, "num_parallel_calls", &narrow));
      calls = narrow;
    } else {
      TF_RETURN_IF_ERROR(ScalarArgument(ctx, "num_parallel_calls", &calls));
    }
    if (calls == kAutotune) {
      calls =
          2 *
          ctx->device()->tensorflow_cpu_worker_threads()->workers->NumThreads();
    }
    if (calls <= 0) {
      return errors::InvalidArgument(
          type_string(), ": num_parallel_calls must be greater than zero, got ",
          calls);
    }
    return DatasetPtr(new ParallelMapDataset(
        std::move(input), std::move(function), std::min(calls, kMostCalls),
        order_, preserve_cardinality_, output_dtypes_, output_shapes_));
  }

 private:
  Order order_ = Order::kOption;
  bool preserve_cardinality_ = false;
};
REGISTER_KERNEL_BUILDER(Name("ParallelMapDataset").Device(DEVICE_CPU),
                        ParallelMapDatasetOp);
REGISTER_KERNEL_BUILDER(Name("ParallelMapDatasetV2").Device(DEVICE_CPU),
                        ParallelMapDatasetOp);

}  // namespace
}  // namespace tensorwright
