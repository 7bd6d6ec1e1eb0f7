// SPDX-License-Identifier: Apache-2.0
// Event files, which TensorBoard shows: records of serialized Events
// (core/util/event.proto), of which the first names the format.
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

// Writes one event file, "<prefix>.out.tfevents.<seconds>.<host><suffix>", with
// ".1", ".2", ... behind it where there is such a file already.  Used by one
// thread at a time.
//
// Records are whole in the file: what a Flush has written, or a writer that was
// killed later, can be read.
class EventsWriter {
 public:
  static constexpr char kVersionPrefix[] = "brain.Event:";
  static constexpr int kCurrentVersion = 2;

  explicit EventsWriter(const std::string& file_prefix);
  // Closes, if that has not been done; errors are lost then.
  ~EventsWriter();
  EventsWriter(const EventsWriter&) = delete;

  // Opens the file; what Env says if that fails.  Later calls do nothing.  What
  // writes calls it by itself.
  Status Init() { return InitWithSuffix(""); }
  Status InitWithSuffix(const std::string& suffix);

  // Its path; "" if the file could not be opened.  Opens it.
  std::string FileName();

  Status WriteEvent(const Event& event);
  Status WriteSerializedEvent(absl::string_view event);

  // Hands what was written to the operating system.  A file that was deleted
  // meanwhile is begun anew, under another name, by the next write.
  Status Flush();
  // Nothing happens if there is no file open; a later write opens another.
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
  // Of records_ since the last flush, which goes to the file at once.
  int64_t unflushed_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_EVENTS_WRITER_H_
