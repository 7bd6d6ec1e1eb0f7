// SPDX-License-Identifier: Apache-2.0
// AsyncOpKernel with its macros; thread pools, notifications, counters,
// condition variables, closures, cancellation.
#include <atomic>
#include <functional>
#include <memory>
#include <queue>

#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/blocking_counter.h"
#include "tensorflow/core/lib/core/notification.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/mutex.h"

namespace tensorflow {
namespace {

class WorkQueue {
 public:
  void Put(int v) {
    mutex_lock l(mu_);
    items_.push(v);
    available_.notify_one();
  }
  int Take() {
    mutex_lock l(mu_);
    while (items_.empty()) available_.wait(l);
    int v = items_.front();
    items_.pop();
    return v;
  }
  bool WaitForAMoment() {
    mutex_lock l(mu_);
    return WaitForMilliseconds(&l, &available_, 1) == kCond_Timeout;
  }

 private:
  mutex mu_;
  condition_variable available_;
  std::queue<int> items_ TF_GUARDED_BY(mu_);
};

class AsyncSumOp : public AsyncOpKernel {
 public:
  explicit AsyncSumOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_threads", &num_threads_));
    pool_.reset(
        new thread::ThreadPool(ctx->env(), "corpus_async", num_threads_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES_ASYNC(ctx, x.dims() == 1,
                      errors::InvalidArgument("x must be a vector"), done);
    Tensor* y = nullptr;
    OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, TensorShape({}), &y),
                         done);
    CancellationManager* cm = ctx->cancellation_manager();
    OP_REQUIRES_ASYNC(ctx, cm == nullptr || !cm->IsCancelled(),
                      errors::Cancelled("cancelled"), done);
    pool_->Schedule([this, ctx, x, y, done]() {
      const auto v = x.vec<int32>();
      const int n = static_cast<int>(v.size());
      std::atomic<int> sum(0);
      BlockingCounter pieces(num_threads_);
      for (int t = 0; t < num_threads_; ++t) {
        ctx->device()->tensorflow_cpu_worker_threads()->workers->Schedule(
            [&, t]() {
              for (int i = t; i < n; i += num_threads_) sum += v(i);
              pieces.DecrementCount();
            });
      }
      pieces.Wait();
      WorkQueue queue;
      Notification notified;
      Env::Default()->SchedClosure([&queue, &sum, &notified]() {
        queue.Put(sum.load());
        notified.Notify();
      });
      notified.WaitForNotification();
      y->scalar<int32>()() = queue.Take();
      if (!queue.WaitForAMoment()) LOG(WARNING) << "woken early";
      done();
    });
  }

 private:
  int num_threads_;
  std::unique_ptr<thread::ThreadPool> pool_;
};

class ParallelSquareOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    const float* in = x.flat<float>().data();
    float* out = y->flat<float>().data();
    auto* workers = ctx->device()->tensorflow_cpu_worker_threads()->workers;
    workers->ParallelFor(x.NumElements(), 100, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) out[i] = in[i] * in[i];
    });
    std::unique_ptr<Thread> thread(Env::Default()->StartThread(
        ThreadOptions(), "corpus", [out, n = x.NumElements()]() {
          if (n > 0) out[0] += 0;
        }));
    thread.reset();  // Joins.
    CHECK_GE(port::NumSchedulableCPUs(), 1);
    CHECK_GE(workers->NumThreads(), 1);
  }
};

}  // namespace

REGISTER_OP("CorpusAsyncSum")
    .Input("x: int32")
    .Output("y: int32")
    .Attr("num_threads: int = 2")
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("CorpusParallelSquare")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("CorpusAsyncSum").Device(DEVICE_CPU), AsyncSumOp);
REGISTER_KERNEL_BUILDER(Name("CorpusParallelSquare").Device(DEVICE_CPU),
                        ParallelSquareOp);

}  // namespace tensorflow
