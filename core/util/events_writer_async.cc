// SPDX-License-Identifier: Apache-2.0
#include "core/util/events_writer_async.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

AsyncEventsWriter::AsyncEventsWriter(const std::string& file_prefix,
                                     const std::string& suffix,
                                     int64_t max_queue,
                                     absl::Duration flush_interval)
    : max_queue_(max_queue),
      flush_interval_(std::max(flush_interval, absl::ZeroDuration())),
      suffix_(suffix),
      writer_(file_prefix) {}

AsyncEventsWriter::~AsyncEventsWriter() { Close().IgnoreError(); }

Status AsyncEventsWriter::Init() {
  TF_RETURN_IF_ERROR(writer_.InitWithSuffix(suffix_));
  filename_ = writer_.FileName();
  thread_.reset(Env::Default()->StartThread(ThreadOptions(), "events_writer",
                                            [this] { Work(); }));
  return OkStatus();
}

Status AsyncEventsWriter::Add(std::string* event, absl::Duration timeout) {
  absl::MutexLock lock(&mu_);
  const auto has_room = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return closing_ || !status_.ok() || max_queue_ <= 0 ||
           static_cast<int64_t>(queue_.size()) + in_hand_ < max_queue_;
  };
  if (!mu_.AwaitWithTimeout(absl::Condition(&has_room), timeout)) {
    return errors::DeadlineExceeded("The queue of events is full");
  }
  if (closing_) {
    return errors::FailedPrecondition("The event file is closed: ", filename_);
  }
  TF_RETURN_IF_ERROR(status_);
  queue_.push_back(std::move(*event));
  ++added_;
  return OkStatus();
}

Status AsyncEventsWriter::Flush(absl::Duration timeout) {
  absl::MutexLock lock(&mu_);
  const int64_t wanted = added_;
  flush_wanted_ = std::max(flush_wanted_, wanted);
  const auto is_done = [this, wanted]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return flushed_ >= wanted || !status_.ok();
  };
  if (!mu_.AwaitWithTimeout(absl::Condition(&is_done), timeout)) {
    return errors::DeadlineExceeded("Events are still being written");
  }
  return status_;
}

Status AsyncEventsWriter::Close() {
  {
    absl::MutexLock lock(&mu_);
    if (closing_) return OkStatus();
    closing_ = true;
  }
  thread_.reset();  // Waits for it.
  const Status closed = writer_.Close();
  absl::MutexLock lock(&mu_);
  status_.Update(closed);
  return status_;
}

Status AsyncEventsWriter::Write(const std::vector<std::string>& batch) {
  for (const std::string& event : batch) {
    TF_RETURN_IF_ERROR(writer_.WriteSerializedEvent(event));
  }
  return OkStatus();
}

void AsyncEventsWriter::Work() {
  // For the oldest event that is not flushed.
  absl::Time flush_at = absl::InfiniteFuture();
  int64_t written = 0;
  for (;;) {
    std::vector<std::string> batch;
    bool must_flush = false;
    bool is_last = false;
    {
      absl::MutexLock lock(&mu_);
      const auto has_work = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
        return !queue_.empty() || flush_wanted_ > flushed_ || closing_;
      };
      mu_.AwaitWithDeadline(absl::Condition(&has_work), flush_at);
      batch.swap(queue_);
      in_hand_ = static_cast<int64_t>(batch.size());
      is_last = closing_;
      must_flush = flush_wanted_ > flushed_ || is_last;
    }
    written += static_cast<int64_t>(batch.size());
    const absl::Time now = absl::Now();
    if (!batch.empty()) flush_at = std::min(flush_at, now + flush_interval_);
    must_flush |= now >= flush_at;
    Status status = Write(batch);
    if (status.ok() && must_flush) status = writer_.Flush();
    if (must_flush) flush_at = absl::InfiniteFuture();
    absl::MutexLock lock(&mu_);
    in_hand_ = 0;
    status_.Update(status);
    if (must_flush) flushed_ = written;
    if (is_last) return;
  }
}

}  // namespace tensorwright
