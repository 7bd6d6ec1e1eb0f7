// SPDX-License-Identifier: Apache-2.0
// Writes the files that record_reader.h reads.
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
  // For ZLIB_COMPRESSION, which includes gzip's format.
  ZlibCompressionOptions zlib_options;

  // Takes "", "ZLIB" or "GZIP"; any other text gives a warning, and no
  // compression.
  static RecordWriterOptions CreateRecordWriterOptions(
      const std::string& compression_type);
};

// The caller keeps the file, and closes it after this.  Not thread-safe.
class RecordWriter {
 public:
  // If zlib does not take the options, the first write returns the error.
  explicit RecordWriter(WritableFile* dest, const RecordWriterOptions& options =
                                                RecordWriterOptions());
  // Closes the writer, if that has not been done; errors are lost then.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;

  // After an error every call returns it: what came behind half a record could
  // not be read.
  Status WriteRecord(absl::string_view data);
  Status Flush();
  // After this nothing can be written.
  Status Close();

 private:
  Status Write(absl::string_view data);

  class Deflater;
  WritableFile* dest_;
  std::unique_ptr<Deflater> deflater_;
  Status failed_;  // The first error of a write.
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_RECORD_WRITER_H_
