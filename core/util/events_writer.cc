// SPDX-License-Identifier: Apache-2.0
#include "core/util/events_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/lib/core/errors.h"
#include "core/platform/cpu_info.h"
#include "core/platform/file_system.h"
#include "core/platform/logging.h"
#include "core/util/event.pb.h"

namespace tensorwright {
namespace {

// Do others see a file while it is being written?  A store of objects, which
// cannot rename at once either, shows it when it is closed.
bool ShowsOpenFiles(const std::string& path) {
  FileSystem* fs;
  bool has_atomic_move = false;
  return FileSystemOfPath(path, &fs).ok() &&
         fs->HasAtomicMove(path, &has_atomic_move).ok() && has_atomic_move;
}

}  // namespace

EventsWriter::EventsWriter(const std::string& file_prefix)
    : EventsWriter(file_prefix, Env::Default()) {}

EventsWriter::EventsWriter(const std::string& file_prefix, Env* env)
    : env_(env), file_prefix_(file_prefix) {}

EventsWriter::~EventsWriter() { Close().IgnoreError(); }

std::string EventsWriter::VersionEvent(double wall_time) {
  Event event;
  event.set_wall_time(wall_time);
  event.set_file_version(absl::StrCat(kVersionPrefix, kCurrentVersion));
  return event.SerializeAsString();
}

Status EventsWriter::InitWithSuffix(const std::string& suffix) {
  if (records_ != nullptr) return OkStatus();
  file_suffix_ = suffix;
  const uint64_t now_us = env_->NowMicros();
  const std::string name =
      absl::StrFormat("%s.out.tfevents.%010d.%s%s", file_prefix_,
                      now_us / 1000000, port::Hostname(), file_suffix_);
  filename_ = name;
  for (int i = 1; env_->FileExists(filename_).ok(); ++i) {
    filename_ = absl::StrCat(name, ".", i);
  }
  const Status opened = env_->NewWritableFile(filename_, &file_);
  if (!opened.ok()) {
    filename_.clear();
    return opened;
  }
  records_ = std::make_unique<io::RecordWriter>(file_.get());
  TF_RETURN_IF_ERROR(
      WriteSerializedEvent(VersionEvent(static_cast<double>(now_us) / 1e6)));
  return Flush();
}

std::string EventsWriter::FileName() {
  if (records_ == nullptr) InitWithSuffix(file_suffix_).IgnoreError();
  return filename_;
}

Status EventsWriter::WriteEvent(const Event& event) {
  return WriteSerializedEvent(event.SerializeAsString());
}

Status EventsWriter::WriteSerializedEvent(absl::string_view event) {
  if (records_ == nullptr) TF_RETURN_IF_ERROR(InitWithSuffix(file_suffix_));
  // Somebody may delete the file faster than it is made.
  if (records_ == nullptr) {
    return errors::Unavailable("The event file ", file_prefix_,
                               " disappears as soon as it is made");
  }
  ++unflushed_;
  return records_->WriteRecord(event);
}

Status EventsWriter::Flush() {
  if (unflushed_ == 0) return OkStatus();
  TF_RETURN_IF_ERROR(records_->Flush());
  unflushed_ = 0;
  if (!ShowsOpenFiles(filename_) || env_->FileExists(filename_).ok()) {
    return OkStatus();
  }
  LOG(ERROR) << "The event file " << filename_
             << " has disappeared; events go to a new one";
  return Close();
}

Status EventsWriter::Close() {
  if (records_ == nullptr) return OkStatus();
  Status status = records_->Close();
  records_.reset();
  status.Update(file_->Close());
  file_.reset();
  filename_.clear();
  unflushed_ = 0;
  return status;
}

}  // namespace tensorwright
