// SPDX-License-Identifier: Apache-2.0
// QueueBase: the lines, and the rules by which ops go on.
#include "core/kernels/data_flow/queue_base.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/kernels/data_flow/batch_rows.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"

namespace tensorwright {

bool QueueBase::is_closed() const {
  tf_shared_lock lock(mu_);
  return closed_;
}

int32_t QueueBase::size() const {
  tf_shared_lock lock(mu_);
  return static_cast<int32_t>(Stored());
}

std::string QueueBase::DebugString() {
  return absl::StrCat(options_.kind, " '", options_.name, "' of ", size());
}

// ---- Joining a line ---------------------------------------------------------

void QueueBase::TryEnqueue(const Tuple& tuple, OpKernelContext* ctx,
                           DoneCallback callback) {
  Waiter waiter;
  waiter.ctx = ctx;
  waiter.tuple = tuple;
  waiter.done = std::move(callback);
  Join(&enqueues_, std::move(waiter));
}

void QueueBase::TryEnqueueMany(const Tuple& tuple, OpKernelContext* ctx,
                               DoneCallback callback) {
  if (tuple[0].dim_size(0) == 0) return callback();
  Waiter waiter;
  waiter.ctx = ctx;
  waiter.tuple = tuple;
  waiter.many = true;
  waiter.done = std::move(callback);
  Join(&enqueues_, std::move(waiter));
}

void QueueBase::TryDequeue(OpKernelContext* ctx, CallbackWithTuple callback) {
  Waiter waiter;
  waiter.ctx = ctx;
  waiter.wanted = 1;
  waiter.give = std::move(callback);
  Join(&dequeues_, std::move(waiter));
}

void QueueBase::TryDequeueMany(int num_elements, OpKernelContext* ctx,
                               bool allow_small_batch,
                               CallbackWithTuple callback) {
  const Status can = CheckBatches();
  if (!can.ok()) {
    ctx->SetStatus(can);
    return callback(Tuple());
  }
  Waiter waiter;
  waiter.ctx = ctx;
  waiter.many = true;
  waiter.wanted = num_elements;
  waiter.allow_small_batch = allow_small_batch;
  waiter.give = std::move(callback);
  if (num_elements == 0) return Give(&waiter);
  Join(&dequeues_, std::move(waiter));
}

void QueueBase::Close(OpKernelContext* ctx, bool cancel_pending_enqueues,
                      DoneCallback callback) {
  if (!cancel_pending_enqueues) {
    Waiter waiter;
    waiter.ctx = ctx;
    waiter.closes = true;
    waiter.done = std::move(callback);
    return Join(&enqueues_, std::move(waiter));
  }
  std::vector<Waiter> ended;
  {
    mutex_lock lock(mu_);
    closed_ = true;
    for (Waiter& waiter : enqueues_) {
      waiter.ctx->SetStatus(
          errors::Cancelled("Enqueue operation was cancelled"));
      ended.push_back(std::move(waiter));
    }
    enqueues_.clear();
    Advance(&ended);
  }
  Finish(std::move(ended));
  callback();
}

void QueueBase::Join(Line* line, Waiter waiter) {
  CancellationManager* const manager = waiter.ctx->cancellation_manager();
  std::vector<Waiter> ended;
  {
    mutex_lock lock(mu_);
    const int64_t id = waiter.id = next_id_++;
    line->push_back(std::move(waiter));
    if (manager != nullptr && manager->IsCancelled()) {
      Remove(line, id, &ended);
    } else {
      Advance(&ended);
      // Only an op that came last can be waiting.
      if (!line->empty() && line->back().id == id && manager != nullptr) {
        const CancellationToken token = manager->get_cancellation_token();
        line->back().token = token;
        // The callback may come after the waiter has ended: it knows the waiter
        // by its number, and keeps the queue alive.
        const bool waits = manager->RegisterCallback(
            token, [queue = core::GetNewRef(this), id] { queue->Cancel(id); });
        if (!waits) Remove(line, id, &ended);
      }
    }
  }
  Finish(std::move(ended));
}

// ---- Leaving it -------------------------------------------------------------

void QueueBase::Advance(std::vector<Waiter>* ended) {
  for (bool progress = true; progress;) {
    progress = AdvanceEnqueues(ended);
    progress |= AdvanceDequeues(ended);
  }
}

bool QueueBase::AdvanceEnqueues(std::vector<Waiter>* ended) {
  bool progress = false;
  while (!enqueues_.empty() && PutElements(&enqueues_.front(), &progress)) {
    progress = true;
    ended->push_back(std::move(enqueues_.front()));
    enqueues_.pop_front();
  }
  return progress;
}

bool QueueBase::AdvanceDequeues(std::vector<Waiter>* ended) {
  bool progress = false;
  while (!dequeues_.empty() && TakeElements(&dequeues_.front(), &progress)) {
    progress = true;
    ended->push_back(std::move(dequeues_.front()));
    dequeues_.pop_front();
  }
  return progress;
}

bool QueueBase::PutElements(Waiter* waiter, bool* progress) {
  if (waiter->closes) {
    if (closed_) {
      waiter->ctx->SetStatus(
          errors::Cancelled("Queue '", options_.name, "' is already closed."));
    }
    closed_ = true;
    return true;
  }
  if (closed_) {
    waiter->ctx->SetStatus(
        errors::Cancelled(options_.kind, " '", options_.name, "' is closed."));
    return true;
  }
  const int64_t count = waiter->many ? waiter->tuple[0].dim_size(0) : 1;
  while (waiter->next < count && Stored() < options_.capacity) {
    if (!waiter->many) {
      Push(std::move(waiter->tuple));
    } else {
      Tuple element(waiter->tuple.size());
      for (size_t i = 0; i < element.size(); ++i) {
        const Status s = CopyRow(waiter->tuple[i], waiter->next, &element[i]);
        if (s.ok()) continue;
        waiter->ctx->SetStatus(s);
        return true;
      }
      Push(std::move(element));
    }
    ++waiter->next;
    *progress = true;
  }
  return waiter->next == count;
}

bool QueueBase::TakeElements(Waiter* waiter, bool* progress) {
  std::vector<Tuple>& taken = waiter->taken;
  const auto missing = [&] {
    return waiter->wanted - static_cast<int64_t>(taken.size());
  };
  for (int64_t n = std::min(Ready(), missing()); n > 0; --n) {
    taken.push_back(Pop());
    *progress = true;
  }
  if (missing() == 0) return true;
  // A close is done when the ops in line before it are.
  if (!closed_ || (waiter->allow_small_batch && !taken.empty())) {
    return closed_;
  }
  const int64_t had = static_cast<int64_t>(taken.size()) + Stored();
  PutBack(std::exchange(taken, {}));
  waiter->ctx->SetStatus(errors::OutOfRange(
      options_.kind, " '", options_.name,
      "' is closed and has insufficient elements (requested ", waiter->wanted,
      ", current size ", had, ")"));
  return true;
}

bool QueueBase::Remove(Line* line, int64_t id, std::vector<Waiter>* ended) {
  const auto it = std::find_if(line->begin(), line->end(),
                               [id](const Waiter& w) { return w.id == id; });
  if (it == line->end()) return false;
  if (!it->taken.empty()) PutBack(std::exchange(it->taken, {}));
  it->ctx->SetStatus(errors::Cancelled(
      line == &enqueues_ ? "Enqueue" : "Dequeue", " operation was cancelled"));
  ended->push_back(std::move(*it));
  line->erase(it);
  return true;
}

void QueueBase::Cancel(int64_t id) {
  std::vector<Waiter> ended;
  {
    mutex_lock lock(mu_);
    if (!Remove(&enqueues_, id, &ended)) Remove(&dequeues_, id, &ended);
    // Ops after it in line, and on the other side, may go on.
    Advance(&ended);
  }
  Finish(std::move(ended));
}

void QueueBase::Finish(std::vector<Waiter> ended) {
  for (Waiter& waiter : ended) {
    if (waiter.token != CancellationManager::kInvalidToken) {
      // Must not wait for callbacks: this may run in one.
      waiter.ctx->cancellation_manager()->TryDeregisterCallback(waiter.token);
    }
    if (waiter.done) {
      waiter.tuple.clear();
      waiter.done();
    } else {
      Give(&waiter);
    }
  }
}

void QueueBase::Give(Waiter* waiter) {
  if (!waiter->ctx->status().ok()) return waiter->give(Tuple());
  if (!waiter->many) return waiter->give(waiter->taken[0]);
  Tuple batch(options_.component_dtypes.size());
  for (size_t i = 0; i < batch.size(); ++i) {
    const Status s = Batch(static_cast<int>(i), waiter->taken, &batch[i]);
    if (s.ok()) continue;
    waiter->ctx->SetStatus(s);
    return waiter->give(Tuple());
  }
  waiter->taken.clear();
  waiter->give(batch);
}

// ---- FIFOQueue --------------------------------------------------------------

void FIFOQueue::Push(Tuple element) { elements_.push_back(std::move(element)); }

QueueInterface::Tuple FIFOQueue::Pop() {
  Tuple element = std::move(elements_.front());
  elements_.pop_front();
  return element;
}

void FIFOQueue::PutBack(std::vector<Tuple> elements) {
  for (auto it = elements.rbegin(); it != elements.rend(); ++it) {
    elements_.push_front(std::move(*it));
  }
}

}  // namespace tensorwright
