// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/record_writer.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace io {

RecordWriterOptions RecordWriterOptions::CreateRecordWriterOptions(
    const std::string& compression_type) {
  RecordWriterOptions options;
  if (compression_type == compression::kZlib) {
    options.compression_type = ZLIB_COMPRESSION;
  } else if (compression_type == compression::kGzip) {
    options.compression_type = ZLIB_COMPRESSION;
    options.zlib_options = ZlibCompressionOptions::GZIP();
  } else if (compression_type != compression::kNone) {
    LOG(ERROR) << "records: no compression is called " << compression_type
               << "; they are written as they are";
  }
  return options;
}

// Deflates into a file.
class RecordWriter::Deflater {
 public:
  Deflater(WritableFile* file, const ZlibCompressionOptions& options)
      : file_(file),
        flush_(options.flush_mode == Z_NO_FLUSH ? Z_SYNC_FLUSH
                                                : options.flush_mode),
        buffer_(static_cast<size_t>(std::clamp<int64_t>(
            options.output_buffer_size, 64, int64_t{1} << 30))) {
    const int made = deflateInit2(
        &stream_, options.compression_level, options.compression_method,
        options.window_bits, options.mem_level, options.compression_strategy);
    if (made != Z_OK) {
      status_ = errors::InvalidArgument("records: zlib takes no such options");
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;

  Status Write(absl::string_view data) {
    while (!data.empty()) {
      const size_t n = std::min<size_t>(data.size(), size_t{1} << 30);
      TF_RETURN_IF_ERROR(Run(data.substr(0, n), Z_NO_FLUSH));
      data.remove_prefix(n);
    }
    return status_;
  }
  Status Flush() { return Run("", flush_); }
  Status Close() { return Run("", Z_FINISH); }

 private:
  Status Run(absl::string_view data, int flush) {
    if (!status_.ok()) return status_;
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));  // NOLINT
    stream_.avail_in = static_cast<uInt>(data.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      const int how = deflate(&stream_, flush);
      if (how == Z_STREAM_ERROR) {
        status_ = errors::Internal("records: deflate failed");
        return status_;
      }
      status_ = file_->Append(absl::string_view(
          buffer_.data(), buffer_.size() - stream_.avail_out));
      // If the buffer is full, it may have been too small.
    } while (status_.ok() && stream_.avail_out == 0);
    return status_;
  }

  WritableFile* const file_;
  const int flush_;
  z_stream stream_ = {};
  std::vector<char> buffer_;
  Status status_;
};

RecordWriter::RecordWriter(WritableFile* dest,
                           const RecordWriterOptions& options)
    : dest_(dest) {
  if (options.compression_type == RecordWriterOptions::NONE) return;
  deflater_ = std::make_unique<Deflater>(dest, options.zlib_options);
}

RecordWriter::~RecordWriter() {
  if (dest_ != nullptr) Close().IgnoreError();
}

Status RecordWriter::Write(absl::string_view data) {
  if (failed_.ok()) {
    failed_ =
        deflater_ == nullptr ? dest_->Append(data) : deflater_->Write(data);
  }
  return failed_;
}

Status RecordWriter::WriteRecord(absl::string_view data) {
  if (dest_ == nullptr) {
    return errors::FailedPrecondition("records: the writer is closed");
  }
  char head[sizeof(uint64_t) + sizeof(uint32_t)];
  core::EncodeFixed64(head, data.size());
  core::EncodeFixed32(head + sizeof(uint64_t),
                      crc32c::Mask(crc32c::Value(head, sizeof(uint64_t))));
  char foot[sizeof(uint32_t)];
  core::EncodeFixed32(foot, crc32c::Mask(crc32c::Value(data)));
  TF_RETURN_IF_ERROR(Write(absl::string_view(head, sizeof(head))));
  TF_RETURN_IF_ERROR(Write(data));
  return Write(absl::string_view(foot, sizeof(foot)));
}

Status RecordWriter::Flush() {
  if (dest_ == nullptr) {
    return errors::FailedPrecondition("records: the writer is closed");
  }
  TF_RETURN_IF_ERROR(failed_);
  if (deflater_ != nullptr) failed_ = deflater_->Flush();
  // The file has what it takes in a buffer.
  if (failed_.ok()) failed_ = dest_->Flush();
  return failed_;
}

Status RecordWriter::Close() {
  if (dest_ == nullptr) return Status();
  dest_ = nullptr;
  return deflater_ == nullptr ? Status() : deflater_->Close();
}

}  // namespace io
}  // namespace tensorwright
