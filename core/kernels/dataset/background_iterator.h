// SPDX-License-Identifier: Apache-2.0
// BackgroundIterator: an iterator that reads ahead.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_BACKGROUND_ITERATOR_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_BACKGROUND_ITERATOR_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "core/framework/allocator_reuse.h"
#include "core/framework/cancellation.h"
#include "core/kernels/dataset/cancellable_wait.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"

namespace tensorwright {

// Reads ahead up to `buffer_size` elements, > 0, in a thread of its own, from
// the first call of GetNext on, or of Start.  Errors come where their elements
// would.  A full buffer is filled again when half of it is used up: waking the
// thread for each element would cost its taker more than taking it.
//
// A buffer that `may_grow` doubles when it was full and is empty later:
// elements come in bursts, and a larger buffer would have lasted.  It does not
// grow beyond kMostElements, nor if its elements would take more than the
// context's ram_budget.
class BackgroundIterator final : public IteratorBase {
 public:
  static constexpr int64_t kMostElements = 512;

  BackgroundIterator(IteratorContext ctx, std::unique_ptr<IteratorBase> input,
                     int64_t buffer_size, bool may_grow = false)
      : ctx_(ctx),
        input_(std::move(input)),
        may_grow_(may_grow),
        buffer_size_(buffer_size) {
    ctx_.cancellation = &cancellation_;
  }

  ~BackgroundIterator() override {
    {
      mutex_lock lock(mu_);
      stopped_ = true;
      room_.notify_one();
    }
    cancellation_.StartCancel();
    thread_ = nullptr;  // Joins.
  }

  void Start() {
    if (thread_ != nullptr) return;
    thread_.reset(Env::Default()->StartThread(ThreadOptions(), "prefetch",
                                              [this] { Run(); }));
  }

  bool IsReady() override {
    mutex_lock lock(mu_);
    return ended_ || !items_.empty();
  }

  StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
    Start();
    Item item;
    {
      CancellableWait wait(ctx->cancellation, &mu_, &changed_);
      mutex_lock lock(mu_);
      if (items_.empty() && may_grow_) Grow();
      while (items_.empty() && !ended_ && !wait.cancelled()) {
        changed_.wait(lock);
      }
      if (items_.empty()) {
        if (ended_) return false;
        return errors::Cancelled("PrefetchDataset: was cancelled");
      }
      item = std::move(items_.front());
      items_.pop_front();
      if (is_full_ && HasRoom()) room_.notify_one();
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

  void Grow() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!was_full_) return;
    was_full_ = false;
    const int64_t larger = std::min(2 * buffer_size_, kMostElements);
    if (largest_ > 0 && larger > ctx_.ram_budget / largest_) return;
    buffer_size_ = larger;
    room_.notify_one();
  }

  // Is it time to fill a buffer that was full?
  bool HasRoom() const TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return static_cast<int64_t>(items_.size()) <= buffer_size_ / 2;
  }

  static int64_t Bytes(const Element& element) {
    int64_t bytes = 0;
    for (const Tensor& tensor : element) {
      bytes += static_cast<int64_t>(tensor.TotalBytes());
    }
    return bytes;
  }

  void Run() {
    const TensorAllocatorScope allocating(ctx_.allocator);
    for (;;) {
      {
        mutex_lock lock(mu_);
        is_full_ = static_cast<int64_t>(items_.size()) >= buffer_size_;
        was_full_ |= is_full_;
        while (is_full_ && !stopped_) {
          room_.wait(lock);
          is_full_ = !HasRoom();
        }
        if (stopped_) return;
      }
      Item item;
      StatusOr<bool> more = false;
      // There may be no memory for an element, and no thread to make it.
      const Status thrown =
          CatchExceptions([&] { more = input_->GetNext(&ctx_, &item.element); },
                          [] { return "Making an element ahead"; });
      if (!thrown.ok()) more = thrown;
      item.status = more.status();
      mutex_lock lock(mu_);
      if (more.ok() && !*more) {
        ended_ = true;
        changed_.notify_all();
        return;
      }
      largest_ = std::max(largest_, Bytes(item.element));
      items_.push_back(std::move(item));
      changed_.notify_all();
    }
  }

  CancellationManager cancellation_;
  IteratorContext ctx_;
  std::unique_ptr<IteratorBase> input_;  // For the thread alone.
  const bool may_grow_;
  mutex mu_;
  int64_t buffer_size_ TF_GUARDED_BY(mu_);
  bool is_full_ TF_GUARDED_BY(mu_) = false;   // The thread waits for room.
  bool was_full_ TF_GUARDED_BY(mu_) = false;  // Set since it last grew.
  int64_t largest_ TF_GUARDED_BY(mu_) = 0;  // The bytes of the largest element.
  condition_variable changed_;              // An element came, or the end.
  condition_variable room_;                 // Wakes the thread.
  std::deque<Item> items_ TF_GUARDED_BY(mu_);
  bool ended_ TF_GUARDED_BY(mu_) = false;
  bool stopped_ TF_GUARDED_BY(mu_) = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_BACKGROUND_ITERATOR_H_
