// SPDX-License-Identifier: Apache-2.0
// SummaryWriter: an event file that ops of a graph write.
#ifndef TENSORWRIGHT_CORE_KERNELS_SUMMARY_SUMMARY_WRITER_H_
#define TENSORWRIGHT_CORE_KERNELS_SUMMARY_SUMMARY_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/framework/resource_mgr.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"
#include "core/util/events_writer.h"

namespace tensorwright {

class Event;

// Thread-safe.  Events are written in the order in which they come, by the call
// that finds more than `max_queue` waiting or the last write `flush_millis`
// ago, by Flush, and when the last reference is released.
class SummaryWriter final : public ResourceBase {
 public:
  // Begins "events.out.tfevents..." in `logdir`, which it makes together with
  // the folders above it.  Returns Env's error if that fails.
  // `env` outlives the writer.
  static Status Create(Env* env, const std::string& logdir, int64_t max_queue,
                       int64_t flush_millis, const std::string& suffix,
                       SummaryWriter** writer);
  ~SummaryWriter() override;

  // InvalidArgument if the event is larger than a proto may be; otherwise the
  // file's errors.
  Status Write(const Event& event);
  Status Flush();

  std::string DebugString() const override { return "SummaryWriter"; }

 private:
  SummaryWriter(Env* env, const std::string& prefix, int64_t max_queue,
                int64_t flush_millis);
  Status FlushLocked() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Env* const env_;
  const int64_t max_queue_;
  const uint64_t flush_micros_;
  mutex mu_;
  EventsWriter file_ TF_GUARDED_BY(mu_);
  std::vector<std::string> queue_ TF_GUARDED_BY(mu_);
  uint64_t last_flush_micros_ TF_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SUMMARY_SUMMARY_WRITER_H_
