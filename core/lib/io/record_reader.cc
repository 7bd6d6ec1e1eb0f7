// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/record_reader.h"

#include <algorithm>
#include <cstring>

#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/random_inputstream.h"
#include "core/lib/io/stream_pieces.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace io {
namespace {

constexpr size_t kCrc = sizeof(uint32_t);
constexpr size_t kHead = sizeof(uint64_t) + kCrc;

// Do the n bytes have the masked CRC that follows them?
bool IsWhole(const char* data, size_t n) {
  return crc32c::Unmask(core::DecodeFixed32(data + n)) ==
         crc32c::Value(data, n);
}

}  // namespace

RecordReaderOptions RecordReaderOptions::CreateRecordReaderOptions(
    const std::string& compression_type) {
  RecordReaderOptions options;
  if (compression_type == compression::kZlib ||
      compression_type == compression::kGzip) {
    options.compression_type = ZLIB_COMPRESSION;
  } else if (compression_type != compression::kNone) {
    LOG(ERROR) << "records: no compression is called " << compression_type
               << "; they are read as they are";
  }
  return options;
}

RecordReader::RecordReader(RandomAccessFile* file,
                           const RecordReaderOptions& options)
    : file_(file),
      capacity_(static_cast<size_t>(
          std::clamp<int64_t>(options.buffer_size, kHead, 1 << 30))) {
  data_ = std::make_unique_for_overwrite<char[]>(capacity_);
  if (options.compression_type != RecordReaderOptions::NONE) {
    inflated_ = std::make_unique<ZlibInputStream>(
        new RandomAccessInputStream(file), capacity_, capacity_,
        ZlibCompressionOptions(), /*owns_input_stream=*/true);
  }
}

RecordReader::~RecordReader() = default;

Status RecordReader::Lost(const char* what, uint64_t offset) const {
  absl::string_view name;
  if (!file_->Name(&name).ok()) name = "a file of records";
  return errors::DataLoss(what, " record at ", offset, " of ", name);
}

// Turns `read`, an error within a record, into the error to report.
Status RecordReader::WhyUnread(const Status& read, uint64_t offset) const {
  if (errors::IsOutOfRange(read)) return Lost("truncated", offset);
  if (!errors::IsDataLoss(read)) return read;
  const std::string what = std::string(read.message()) + ":";
  return Lost(what.c_str(), offset);
}

// Reads the bytes after those that the buffer has.
Status RecordReader::Fill(size_t* got) {
  return ReadInto(position_ + (end_ - begin_), data_.get() + end_,
                  capacity_ - end_, got);
}

Status RecordReader::ReadInto(uint64_t offset, char* to, size_t n,
                              size_t* got) {
  if (inflated_ != nullptr) return inflated_->ReadInto(to, n, got);
  absl::string_view bytes;
  const Status read = file_->Read(offset, n, &bytes, to);
  *got = 0;
  if (!read.ok() && !errors::IsOutOfRange(read)) return read;
  *got = bytes.size();
  if (bytes.data() != to && !bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
  return *got > 0 ? Status() : read;
}

Status RecordReader::Require(size_t n) {
  if (n <= end_ - begin_) return Status();
  std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < n) {
    if (end_ == capacity_) {
      // Grows to at most twice the old size, so that a wrong length costs no
      // memory.
      const size_t larger = std::max(capacity_ + 1, std::min(n, 2 * capacity_));
      auto grown = std::make_unique_for_overwrite<char[]>(larger);
      std::memcpy(grown.get(), data_.get(), end_);
      data_ = std::move(grown);
      capacity_ = larger;
    }
    size_t got = 0;
    TF_RETURN_IF_ERROR(Fill(&got));
    end_ += got;
  }
  return Status();
}

Status RecordReader::Seek(uint64_t offset) {
  if (offset >= position_ && offset - position_ <= end_ - begin_) {
    begin_ += static_cast<size_t>(offset - position_);
    position_ = offset;
    return Status();
  }
  if (inflated_ == nullptr) {
    begin_ = end_ = 0;
    position_ = offset;
    return Status();
  }
  if (offset < position_) {
    TF_RETURN_IF_ERROR(inflated_->Reset());
    begin_ = end_ = 0;
    position_ = 0;
  }
  while (position_ < offset) {
    if (begin_ == end_) TF_RETURN_IF_ERROR(Require(1));
    const uint64_t step = std::min<uint64_t>(end_ - begin_, offset - position_);
    begin_ += static_cast<size_t>(step);
    position_ += step;
  }
  return Status();
}

Status RecordReader::ReadHead(uint64_t offset, size_t* length) {
  TF_RETURN_IF_ERROR(Seek(offset));
  const Status read = Require(kHead);
  if (errors::IsOutOfRange(read) && begin_ == end_) return read;
  if (!read.ok()) return WhyUnread(read, offset);
  if (!IsWhole(data_.get() + begin_, sizeof(uint64_t))) {
    return Lost("corrupted", offset);
  }
  *length = static_cast<size_t>(core::DecodeFixed64(data_.get() + begin_));
  // No file has such a length, and sums with it would overflow.
  if (*length >= (size_t{1} << 48)) return Lost("truncated", offset);
  return Status();
}

Status RecordReader::ReadRecordView(uint64_t* offset,
                                    absl::string_view* record) {
  *record = absl::string_view();
  size_t length = 0;
  TF_RETURN_IF_ERROR(ReadHead(*offset, &length));
  const Status read = Require(kHead + length + kCrc);
  if (!read.ok()) return WhyUnread(read, *offset);
  const char* const bytes = data_.get() + begin_ + kHead;
  if (!IsWhole(bytes, length)) return Lost("corrupted", *offset);
  *record = absl::string_view(bytes, length);
  *offset += kHead + length + kCrc;
  return Status();
}

Status RecordReader::ReadLongBody(uint64_t offset, size_t length,
                                  std::string* record) {
  StreamPieces body(record);
  const absl::string_view have(data_.get() + begin_ + kHead,
                               std::min(length, end_ - begin_ - kHead));
  const Status appended = body.Append(have);
  begin_ += kHead + have.size();
  position_ += kHead + have.size();
  TF_RETURN_IF_ERROR(appended);
  while (body.size() < length) {
    char* to = nullptr;
    size_t n = 0;
    TF_RETURN_IF_ERROR(body.Room(length - body.size(), &to, &n));
    size_t got = 0;
    const Status read = ReadInto(position_, to, n, &got);
    body.Advance(got);
    position_ += got;
    if (!read.ok()) return WhyUnread(read, offset);
  }
  body.Finish();
  const Status read = Require(kCrc);
  if (!read.ok()) return WhyUnread(read, offset);
  if (crc32c::Unmask(core::DecodeFixed32(data_.get() + begin_)) !=
      crc32c::Value(record->data(), length)) {
    return Lost("corrupted", offset);
  }
  return Status();
}

Status RecordReader::ReadRecord(uint64_t* offset, std::string* record) {
  size_t length = 0;
  Status read = ReadHead(*offset, &length);
  if (read.ok() && kHead + length + kCrc > capacity_ &&
      length > StreamPieces::kDirect) {
    read = ReadLongBody(*offset, length, record);
    if (read.ok()) *offset += kHead + length + kCrc;
    if (!read.ok()) record->clear();
    return read;
  }
  absl::string_view bytes;
  if (read.ok()) read = ReadRecordView(offset, &bytes);
  record->assign(bytes.data(), bytes.size());
  return read;
}

}  // namespace io
}  // namespace tensorwright
