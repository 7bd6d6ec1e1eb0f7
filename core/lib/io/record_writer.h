// SPDX-License-Identifier: Apache-2.0
// Writes what record_reader.h reads.
#ifndef TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_
#define TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/lib/io/compression.h"
#include "core/platform/env.h"

namespace google::protobuf::io {
class GzipOutputStream;
class ZeroCopyOutputStream;
}  // namespace google::protobuf::io

namespace tensorwright {
namespace io {

struct RecordWriterOptions {
  enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1 };
  CompressionType compression_type = NONE;
  bool gzip = false;

  static RecordWriterOptions CreateRecordWriterOptions(
      const std::string& compression_type);
};

// The file stays the caller's, who closes it after this.
class RecordWriter {
 public:
  explicit RecordWriter(WritableFile* dest, const RecordWriterOptions& options =
                                                RecordWriterOptions());
  // Closes, if that has not been done; errors are lost then.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;

  Status WriteRecord(absl::string_view data);
  Status Flush();
  // Nothing can be written afterwards.
  Status Close();

 private:
  Status Write(absl::string_view data);

  class FileOutput;
  WritableFile* dest_;
  std::unique_ptr<FileOutput> output_;
  std::unique_ptr<google::protobuf::io::GzipOutputStream> deflated_;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_
