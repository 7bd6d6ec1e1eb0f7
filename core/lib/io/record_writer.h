// SPDX-License-Identifier: Apache-2.0
// Writes what record_reader.h reads.
#ifndef TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_
#define TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/zlib_compression_options.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

struct RecordWriterOptions {
  enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1 };
  CompressionType compression_type = NONE;
  // Of ZLIB_COMPRESSION, gzip's format too.
  ZlibCompressionOptions zlib_options;

  // Of "", "ZLIB" or "GZIP"; anything else is a warning, and none.
  static RecordWriterOptions CreateRecordWriterOptions(
      const std::string& compression_type);
};

// The file stays the caller's, who closes it after this.  Not thread-safe.
class RecordWriter {
 public:
  // Options that zlib does not take are an error of the first write.
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

  class Deflater;
  WritableFile* dest_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_
