// SPDX-License-Identifier: Apache-2.0
// GpuCard: what all sessions of the process share of one GPU: its streams, its
// memory, the thread that waits for copies, and the error that broke it.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_GPU_CARD_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_GPU_CARD_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "core/common_runtime/gpu/pool_allocator.h"
#include "core/framework/gpu_device_context.h"
#include "core/lib/core/status.h"
#include "core/lib/gpu/driver.h"

namespace tensorwright {

class GPUOptions;

// A stream of copies in one direction, with the thread that waits for each.
class GpuCopyStream {
 public:
  // `check` turns the driver's answer into the error of a run.
  GpuCopyStream(int device, CUstream_st* stream,
                std::function<Status(const Status&)> check);

  // Enqueues `copy` after all that is in `compute` now, and calls `done` in
  // this object's thread once it is done, or here with the error if it cannot
  // be enqueued.
  void Copy(CUstream_st* compute,
            const std::function<Status(CUstream_st*)>& copy,
            std::function<void(const Status&)> done);

 private:
  struct Pending {
    CUevent_st* event;
    std::function<void(const Status&)> done;
  };
  Status Enqueue(CUstream_st* compute,
                 const std::function<Status(CUstream_st*)>& copy,
                 CUevent_st** event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Run();
  Status TakeEvent(CUevent_st** event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool HasPending() const ABSL_SHARED_LOCKS_REQUIRED(mu_) {
    return !pending_.empty();
  }

  const int device_;
  CUstream_st* const stream_;
  const std::function<Status(const Status&)> check_;
  absl::Mutex mu_;
  std::deque<Pending> pending_ ABSL_GUARDED_BY(mu_);
  std::vector<CUevent_st*> events_ ABSL_GUARDED_BY(mu_);
};

// Thread safe; made once for each GPU that a session uses, never destroyed:
// fetched tensors may be in its memory.
class GpuCard {
 public:
  // The card of the driver's device `id`; the first session's options hold.
  static Status Get(int id, const GPUOptions& options, GpuCard** card);

  int id() const { return id_; }
  const gpu::DeviceDescription& description() const { return description_; }
  int64_t memory_limit() const { return limit_; }
  Allocator* device_allocator() { return device_memory_.get(); }
  Allocator* host_allocator() { return host_memory_.get(); }
  GpuDeviceContext* context() { return context_.get(); }
  CUstream_st* compute() const { return context_->stream(); }
  GpuCopyStream* to_device() { return to_device_.get(); }
  GpuCopyStream* to_host() { return to_host_.get(); }

  // OK, or why nothing works on this card any more; cheap.
  Status broken() const;
  // The error of a run to which the driver gave this answer.  Finds out whether
  // the card is broken for good.
  Status Check(const Status& answer);
  // Waits for the compute stream.
  Status Sync();
  // Is every kernel waited for, so that its error names its op?
  // (TW_GPU_BLOCKING=1)
  static bool Blocking();
  // Notes the op that was launched last, for errors of later calls.
  void NoteLaunch(const std::string& op, const std::string& type);

 private:
  explicit GpuCard(int id) : id_(id) {}
  Status Init(const GPUOptions& options);

  const int id_;
  gpu::DeviceDescription description_;
  int64_t limit_ = 0;
  std::unique_ptr<PoolAllocator> device_memory_;
  std::unique_ptr<PoolAllocator> host_memory_;
  std::unique_ptr<GpuDeviceContext> context_;
  std::unique_ptr<GpuCopyStream> to_device_;
  std::unique_ptr<GpuCopyStream> to_host_;
  std::atomic<bool> is_broken_{false};
  mutable absl::Mutex mu_;
  Status broken_ ABSL_GUARDED_BY(mu_);
  std::string last_op_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_GPU_GPU_CARD_H_
