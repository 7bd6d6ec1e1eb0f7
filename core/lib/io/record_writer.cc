// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/record_writer.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstring>

#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace io {

RecordWriterOptions RecordWriterOptions::CreateRecordWriterOptions(
    const std::string& compression_type) {
  RecordWriterOptions options;
  if (compression_type == compression::kZlib ||
      compression_type == compression::kGzip) {
    options.compression_type = ZLIB_COMPRESSION;
    options.gzip = compression_type == compression::kGzip;
  } else if (compression_type != compression::kNone) {
    LOG(ERROR) << "records: no compression is called " << compression_type
               << "; they are written as they are";
  }
  return options;
}

// A WritableFile as protobuf's streams see it.
class RecordWriter::FileOutput
    : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit FileOutput(WritableFile* file) : file_(file), stream_(this) {}

  bool Write(const void* buffer, int size) override {
    status_.Update(file_->Append(absl::string_view(
        static_cast<const char*>(buffer), static_cast<size_t>(size))));
    return status_.ok();
  }
  google::protobuf::io::CopyingOutputStreamAdaptor* stream() {
    return &stream_;
  }
  const Status& status() const { return status_; }

 private:
  WritableFile* const file_;
  Status status_;
  google::protobuf::io::CopyingOutputStreamAdaptor stream_;
};

RecordWriter::RecordWriter(WritableFile* dest,
                           const RecordWriterOptions& options)
    : dest_(dest) {
  if (options.compression_type == RecordWriterOptions::NONE) return;
  output_ = std::make_unique<FileOutput>(dest);
  google::protobuf::io::GzipOutputStream::Options how;
  how.format = options.gzip ? google::protobuf::io::GzipOutputStream::GZIP
                            : google::protobuf::io::GzipOutputStream::ZLIB;
  deflated_ = std::make_unique<google::protobuf::io::GzipOutputStream>(
      output_->stream(), how);
}

RecordWriter::~RecordWriter() {
  if (dest_ != nullptr) Close().IgnoreError();
}

Status RecordWriter::Write(absl::string_view data) {
  if (deflated_ == nullptr) return dest_->Append(data);
  while (!data.empty()) {
    void* to = nullptr;
    int room = 0;
    if (!deflated_->Next(&to, &room)) {
      return output_->status().ok()
                 ? errors::Internal("records: deflate failed")
                 : output_->status();
    }
    const size_t n = std::min(data.size(), static_cast<size_t>(room));
    std::memcpy(to, data.data(), n);
    deflated_->BackUp(room - static_cast<int>(n));
    data.remove_prefix(n);
  }
  return Status();
}

Status RecordWriter::WriteRecord(absl::string_view data) {
  if (dest_ == nullptr) {
    return errors::FailedPrecondition("records: the writer is closed");
  }
  std::string head;
  core::PutFixed64(&head, data.size());
  core::PutFixed32(&head, crc32c::Mask(crc32c::Value(head)));
  std::string foot;
  core::PutFixed32(&foot, crc32c::Mask(crc32c::Value(data)));
  TF_RETURN_IF_ERROR(Write(head));
  TF_RETURN_IF_ERROR(Write(data));
  return Write(foot);
}

Status RecordWriter::Flush() {
  if (dest_ == nullptr) {
    return errors::FailedPrecondition("records: the writer is closed");
  }
  if (deflated_ != nullptr) {
    if (!deflated_->Flush() || !output_->stream()->Flush()) {
      return output_->status();
    }
  }
  return dest_->Flush();
}

Status RecordWriter::Close() {
  if (dest_ == nullptr) return Status();
  dest_ = nullptr;
  if (deflated_ == nullptr) return Status();
  const bool closed = deflated_->Close() && output_->stream()->Flush();
  if (!closed && output_->status().ok()) {
    return errors::Internal("records: deflate failed");
  }
  return output_->status();
}

}  // namespace io
}  // namespace tensorwright
