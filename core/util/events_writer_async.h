// SPDX-License-Identifier: Apache-2.0
// AsyncEventsWriter: an event file written by a thread of its own, so that a
// training step waits for no disk.
#ifndef TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_ASYNC_H_
#define TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_ASYNC_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/lib/core/status.h"
#include "core/platform/env.h"
#include "core/util/events_writer.h"

namespace tensorwright {

// Thread-safe.  Events are written in the order in which they were added.
//
// After an error in the thread, every later Add, Flush and Close fails with the
// first one.
class AsyncEventsWriter {
 public:
  // `max_queue`: the number of events that may wait to be written; 0 or less:
  // any number. `flush_interval`: the greatest age of an event that is not
  // flushed.
  AsyncEventsWriter(const std::string& file_prefix, const std::string& suffix,
                    int64_t max_queue, absl::Duration flush_interval);
  // Closes the file.
  ~AsyncEventsWriter();

  // Opens the file and starts the thread.  Call it once, before anything else.
  Status Init();
  // The name of the file that Init opened.
  const std::string& filename() const { return filename_; }

  // Queues a serialized Event.  While the queue is full it waits, `timeout` at
  // most: after that it is DeadlineExceeded, and `event` is as it was.
  // FailedPrecondition after Close.
  Status Add(std::string* event, absl::Duration timeout);
  // Waits until all events added before are written and handed to the operating
  // system; DeadlineExceeded as above.
  Status Flush(absl::Duration timeout);
  // Writes the queued events, closes the file and ends the thread; does nothing
  // the second time.
  Status Close();

 private:
  void Work();
  // Writes a batch, without the lock.
  Status Write(const std::vector<std::string>& batch);

  const int64_t max_queue_;
  const absl::Duration flush_interval_;
  const std::string suffix_;
  std::string filename_;
  EventsWriter writer_;  // Belongs to the thread, once that runs.

  absl::Mutex mu_;
  std::vector<std::string> queue_ ABSL_GUARDED_BY(mu_);
  // Events that the thread has taken and not yet written; they count as
  // waiting, too.
  int64_t in_hand_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t added_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t flushed_ ABSL_GUARDED_BY(mu_) = 0;
  // A Flush waits for events up to this one.
  int64_t flush_wanted_ ABSL_GUARDED_BY(mu_) = 0;
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  Status status_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<Thread> thread_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_ASYNC_H_
