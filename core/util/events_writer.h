// SPDX-License-Identifier: Apache-2.0
// Event files, which TensorBoard shows: records of serialized Events
// (core/util/event.proto); the first one names the format.
#ifndef TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_H_
#define TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/lib/io/record_writer.h"
#include "core/platform/env.h"

namespace tensorwright {

class Event;

// Writes one event file, "<prefix>.out.tfevents.<seconds>.<host><suffix>",
// followed by ".1", ".2", ... if there is such a file already.  Used by one
// thread at a time.
//
// Records are whole in the file: those that a Flush has written can be read,
// even if the writer is killed later.
class EventsWriter {
 public:
  static constexpr char kVersionPrefix[] = "brain.Event:";
  static constexpr int kCurrentVersion = 2;

  explicit EventsWriter(const std::string& file_prefix);
  // Reaches files by `env`, which outlives it.
  EventsWriter(const std::string& file_prefix, Env* env);
  // Closes the file, if that has not been done; its errors are lost then.
  ~EventsWriter();
  EventsWriter(const EventsWriter&) = delete;

  // Opens the file; fails as Env does.  Later calls do nothing.  Functions that
  // write call it themselves.
  Status Init() { return InitWithSuffix(""); }
  Status InitWithSuffix(const std::string& suffix);

  // The file's path; "" if the file could not be opened.  Opens it.
  std::string FileName();

  Status WriteEvent(const Event& event);
  Status WriteSerializedEvent(absl::string_view event);

  // Hands the events written so far to the operating system.  If the file was
  // deleted meanwhile, the next write begins a new one, under another name.
  Status Flush();
  // Does nothing if no file is open; a later write opens another.
  Status Close();

  // An Event with `wall_time` and a `file_version`.
  static std::string VersionEvent(double wall_time);

 private:
  Env* const env_;
  const std::string file_prefix_;
  std::string file_suffix_;
  std::string filename_;
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<io::RecordWriter> records_;
  // The number of events in records_ since the last flush; a flush goes to the
  // file at once.
  int64_t unflushed_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_H_
