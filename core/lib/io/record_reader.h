// SPDX-License-Identifier: Apache-2.0
// Files of records ("TFRecord").  A record is its length and the CRC of that,
// the bytes and their CRC.
#ifndef TENSORWRIGHT_CORE_LIB_IO_RECORD_READER_H_
#define TENSORWRIGHT_CORE_LIB_IO_RECORD_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/lib/io/buffered_inputstream.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

struct RecordReaderOptions {
  enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1 };
  CompressionType compression_type = NONE;
  // Bytes read ahead.
  int64_t buffer_size = 256 << 10;

  // Of "", "ZLIB" or "GZIP"; anything else is a warning, and none.
  static RecordReaderOptions CreateRecordReaderOptions(
      const std::string& compression_type);
};

// Reads records from where they are; the file stays the caller's.
class RecordReader {
 public:
  explicit RecordReader(
      RandomAccessFile* file,
      const RecordReaderOptions& options = RecordReaderOptions());
  ~RecordReader();

  // The record at *offset, and where the next one begins.  OutOfRange at the
  // end, DataLoss if it is cut off or changed.  In a compressed file offsets go
  // up only.
  Status ReadRecord(uint64_t* offset, tstring* record);
  Status ReadRecord(uint64_t* offset, std::string* record) {
    tstring bytes;
    const Status read = ReadRecord(offset, &bytes);
    record->swap(bytes);
    return read;
  }

 private:
  Status ReadChecked(size_t n, tstring* result);

  std::unique_ptr<InputStreamInterface> inflated_;
  std::unique_ptr<BufferedInputStream> stream_;
};

// The same, one after the other.
class SequentialRecordReader {
 public:
  explicit SequentialRecordReader(
      RandomAccessFile* file,
      const RecordReaderOptions& options = RecordReaderOptions())
      : reader_(file, options) {}

  template <typename T>
  Status ReadRecord(T* record) {
    return reader_.ReadRecord(&offset_, record);
  }
  uint64_t TellOffset() const { return offset_; }
  Status SeekOffset(uint64_t offset) {
    offset_ = offset;
    return Status();
  }

 private:
  RecordReader reader_;
  uint64_t offset_ = 0;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_RECORD_READER_H_
