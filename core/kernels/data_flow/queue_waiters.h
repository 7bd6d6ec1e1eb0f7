// SPDX-License-Identifier: Apache-2.0
// Waiters: lets kernels wait, without a thread, for changes that others make to
// a resource.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_WAITERS_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_WAITERS_H_

#include <cstdint>
#include <functional>
#include <list>
#include <utility>
#include <vector>

#include "core/framework/cancellation.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"

namespace tensorwright {

// A resource whose state mu_ guards.  A kernel makes an attempt: it is tried at
// once, and again after each change by another kernel, until it is done;
// attempts that came first are tried first.  A run that is cancelled withdraws
// its attempts: Cancelled.
class WaitersResource : public ResourceBase {
 public:
  // Called under mu_.  Returns true if it is done, with outputs or the status
  // of its context set; false if it has changed nothing and must wait.
  using Attempt = std::function<bool()>;

  // Calls `done` once the attempt is done, perhaps before it returns.  The
  // caller keeps the resource until then.
  void TryUntilDone(OpKernelContext* ctx, Attempt attempt,
                    AsyncOpKernel::DoneCallback done) {
    CancellationManager* const manager = ctx->cancellation_manager();
    std::vector<Waiter> ended;
    {
      mutex_lock lock(mu_);
      Waiter waiter{next_id_++, ctx, CancellationManager::kInvalidToken,
                    std::move(attempt), std::move(done)};
      const int64_t id = waiter.id;
      if (manager != nullptr && manager->IsCancelled()) {
        ctx->SetStatus(Cancelled(*ctx));
        ended.push_back(std::move(waiter));
      } else if (waiter.attempt()) {
        ended.push_back(std::move(waiter));
        Advance(&ended);
      } else {
        waiters_.push_back(std::move(waiter));
        Wait(id, manager, &ended);
      }
    }
    Finish(&ended);
  }

 protected:
  mutable mutex mu_;

 private:
  struct Waiter {
    int64_t id;
    OpKernelContext* ctx;
    CancellationToken token;
    Attempt attempt;
    AsyncOpKernel::DoneCallback done;
  };

  static Status Cancelled(const OpKernelContext& ctx) {
    return errors::Cancelled(ctx.op_kernel().type_string(),
                             ": operation was cancelled");
  }

  // The last waiter may be cancelled from now on.
  void Wait(int64_t id, CancellationManager* manager,
            std::vector<Waiter>* ended) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (manager == nullptr) return;
    waiters_.back().token = manager->get_cancellation_token();
    // The callback may come after the waiter has ended: it knows the waiter by
    // its number, and keeps the resource alive.
    const bool waits = manager->RegisterCallback(
        waiters_.back().token,
        [self = core::GetNewRef(this), id] { self->Cancel(id); });
    if (!waits) Remove(id, ended);
  }

  void Remove(int64_t id, std::vector<Waiter>* ended)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (auto it = waiters_.begin(); it != waiters_.end(); ++it) {
      if (it->id != id) continue;
      it->ctx->SetStatus(Cancelled(*it->ctx));
      ended->push_back(std::move(*it));
      waiters_.erase(it);
      return;
    }
  }

  void Cancel(int64_t id) {
    std::vector<Waiter> ended;
    {
      mutex_lock lock(mu_);
      Remove(id, &ended);
    }
    Finish(&ended);
  }

  // Tries the attempts again, since something has changed.
  void Advance(std::vector<Waiter>* ended) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      if (!it->attempt()) {
        ++it;
        continue;
      }
      ended->push_back(std::move(*it));
      waiters_.erase(it);
      it = waiters_.begin();
    }
  }

  static void Finish(std::vector<Waiter>* ended) {
    for (Waiter& waiter : *ended) {
      if (waiter.token != CancellationManager::kInvalidToken) {
        // Must not wait for callbacks: this may run in one.
        waiter.ctx->cancellation_manager()->TryDeregisterCallback(waiter.token);
      }
      waiter.attempt = nullptr;
      waiter.done();
    }
  }

  int64_t next_id_ TF_GUARDED_BY(mu_) = 0;
  std::list<Waiter> waiters_ TF_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_QUEUE_WAITERS_H_
