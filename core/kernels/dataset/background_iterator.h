// SPDX-License-Identifier: Apache-2.0
// BackgroundIterator: an iterator that reads ahead.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_BACKGROUND_ITERATOR_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_BACKGROUND_ITERATOR_H_

#include <deque>
#include <memory>
#include <utility>

#include "core/framework/cancellation.h"
#include "core/kernels/dataset/cancellable_wait.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"

namespace tensorwright {

// Reads ahead up to `buffer_size` elements, > 0, in a thread of its own, from
// the first call of GetNext on, or of Start.  Errors come where their elements
// would.
class BackgroundIterator final : public IteratorBase {
 public:
  BackgroundIterator(IteratorContext ctx, std::unique_ptr<IteratorBase> input,
                     int64_t buffer_size)
      : ctx_(ctx), input_(std::move(input)), buffer_size_(buffer_size) {
    ctx_.cancellation = &cancellation_;
  }

  ~BackgroundIterator() override {
    {
      mutex_lock lock(mu_);
      stopped_ = true;
      changed_.notify_all();
    }
    cancellation_.StartCancel();
    thread_ = nullptr;  // Joins.
  }

  void Start() {
    if (thread_ != nullptr) return;
    thread_.reset(Env::Default()->StartThread(ThreadOptions(), "prefetch",
                                              [this] { Run(); }));
  }

  StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
    Start();
    Item item;
    {
      CancellableWait wait(ctx->cancellation, &mu_, &changed_);
      mutex_lock lock(mu_);
      while (items_.empty() && !ended_ && !wait.cancelled()) {
        changed_.wait(lock);
      }
      if (items_.empty()) {
        if (ended_) return false;
        return errors::Cancelled("PrefetchDataset: was cancelled");
      }
      item = std::move(items_.front());
      items_.pop_front();
      changed_.notify_all();
    }
    TF_RETURN_IF_ERROR(item.status);
    *out = std::move(item.element);
    return true;
  }

 private:
  struct Item {
    Status status;
    Element element;
  };

  void Run() {
    for (;;) {
      {
        mutex_lock lock(mu_);
        while (static_cast<int64_t>(items_.size()) >= buffer_size_ &&
               !stopped_) {
          changed_.wait(lock);
        }
        if (stopped_) return;
      }
      Item item;
      const StatusOr<bool> more = input_->GetNext(&ctx_, &item.element);
      item.status = more.status();
      mutex_lock lock(mu_);
      if (more.ok() && !*more) {
        ended_ = true;
        changed_.notify_all();
        return;
      }
      items_.push_back(std::move(item));
      changed_.notify_all();
    }
  }

  CancellationManager cancellation_;
  IteratorContext ctx_;
  std::unique_ptr<IteratorBase> input_;  // The thread's alone.
  const int64_t buffer_size_;
  mutex mu_;
  condition_variable changed_;
  std::deque<Item> items_ TF_GUARDED_BY(mu_);
  bool ended_ TF_GUARDED_BY(mu_) = false;
  bool stopped_ TF_GUARDED_BY(mu_) = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_BACKGROUND_ITERATOR_H_
