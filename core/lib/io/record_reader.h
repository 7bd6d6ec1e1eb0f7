// SPDX-License-Identifier: Apache-2.0
// Files of records ("TFRecord").  A record is its length and the CRC of that,
// the bytes and their CRC.
#ifndef TENSORWRIGHT_CORE_LIB_IO_RECORD_READER_H_
#define TENSORWRIGHT_CORE_LIB_IO_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/io/buffered_inputstream.h"
#include "core/lib/io/zlib_inputstream.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

struct RecordReaderOptions {
  enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1 };
  CompressionType compression_type = NONE;
  // Bytes read ahead.
  int64_t buffer_size = 256 << 10;

  // Takes "", "ZLIB" or "GZIP"; any other text gives a warning, and no
  // compression.
  static RecordReaderOptions CreateRecordReaderOptions(
      const std::string& compression_type);
};

// Reads records at given offsets; the caller keeps the file.  Not thread-safe.
// Its memory is that of the longest record that ReadRecordView gave so far, and
// no more than twice the file's size, whatever the lengths in it claim.
class RecordReader {
 public:
  explicit RecordReader(
      RandomAccessFile* file,
      const RecordReaderOptions& options = RecordReaderOptions());
  ~RecordReader();

  // Reads the record at *offset, and sets *offset to the beginning of the next
  // one.  OutOfRange at the end; DataLoss, with the file's name and the offset,
  // if the record is cut off or changed.  After an error *offset stays.  A
  // plain file may grow: the caller may ask again at its old end.  In a
  // compressed file an offset counts inflated bytes, and going back means to
  // inflate from the beginning.
  Status ReadRecord(uint64_t* offset, tstring* record) {
    return ReadRecord(offset, static_cast<std::string*>(record));
  }
  // A record that the buffer does not hold goes straight to *record;
  // ResourceExhausted if it has more bytes than half of the memory.
  Status ReadRecord(uint64_t* offset, std::string* record);
  // The same without a copy; *record is valid until the next call.
  Status ReadRecordView(uint64_t* offset, absl::string_view* record);

 private:
  Status Seek(uint64_t offset);
  // Reads the length of the record at `offset`; afterwards its head is at
  // data_[begin_].
  Status ReadHead(uint64_t offset, size_t* length);
  // Reads the body of a record whose head is at data_[begin_], past the buffer.
  Status ReadLongBody(uint64_t offset, size_t length, std::string* record);
  // Makes data_[begin_, begin_ + n) valid; OutOfRange if the file ends before.
  Status Require(size_t n);
  Status Fill(size_t* got);
  // Reads up to n bytes of the file at `offset`, or the next inflated ones;
  // OutOfRange if there are none.
  Status ReadInto(uint64_t offset, char* to, size_t n, size_t* got);
  Status Lost(const char* what, uint64_t offset) const;
  Status WhyUnread(const Status& read, uint64_t offset) const;

  RandomAccessFile* const file_;
  std::unique_ptr<ZlibInputStream> inflated_;
  std::unique_ptr<char[]> data_;
  size_t capacity_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_ = 0;  // The position of data_[begin_] in the file.
};

// The same for records one after the other.
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
  Status ReadRecordView(absl::string_view* record) {
    return reader_.ReadRecordView(&offset_, record);
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
