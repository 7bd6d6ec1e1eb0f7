// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/record_reader.h"

#include "core/lib/core/coding.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/zlib_inputstream.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace io {

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
                           const RecordReaderOptions& options) {
  const size_t size = static_cast<size_t>(options.buffer_size);
  stream_ = std::make_unique<BufferedInputStream>(file, size);
  if (options.compression_type != RecordReaderOptions::NONE) {
    inflated_ = std::make_unique<ZlibInputStream>(stream_.release(), size, size,
                                                  ZlibCompressionOptions(),
                                                  /*owns_input_stream=*/true);
    stream_ = std::make_unique<BufferedInputStream>(inflated_.get(), size);
  }
}

RecordReader::~RecordReader() = default;

// n bytes and the masked CRC behind them.
Status RecordReader::ReadChecked(size_t n, tstring* result) {
  constexpr size_t kCrc = sizeof(uint32_t);
  const Status read =
      stream_->ReadNBytes(static_cast<int64_t>(n + kCrc), result);
  if (result->size() != n + kCrc) {
    if (read.ok() || !errors::IsOutOfRange(read)) return read;
    return result->empty() ? read : errors::DataLoss("records: one is cut off");
  }
  const uint32_t crc = core::DecodeFixed32(result->data() + n);
  if (crc32c::Unmask(crc) != crc32c::Value(result->data(), n)) {
    return errors::DataLoss("records: the bytes of one are not those written");
  }
  result->resize(n);
  return Status();
}

Status RecordReader::ReadRecord(uint64_t* offset, tstring* record) {
  if (stream_->Tell() != static_cast<int64_t>(*offset)) {
    TF_RETURN_IF_ERROR(stream_->Seek(static_cast<int64_t>(*offset)));
  }
  TF_RETURN_IF_ERROR(ReadChecked(sizeof(uint64_t), record));
  const uint64_t length = core::DecodeFixed64(record->data());
  // A length that no file has is a broken one, not a reason to run out of
  // memory.
  if (length >= (uint64_t{1} << 40)) {
    return errors::DataLoss("records: one of ", length, " bytes");
  }
  const Status read = ReadChecked(static_cast<size_t>(length), record);
  if (errors::IsOutOfRange(read)) {
    return errors::DataLoss("records: one is cut off at ", *offset);
  }
  TF_RETURN_IF_ERROR(read);
  *offset = static_cast<uint64_t>(stream_->Tell());
  return Status();
}

}  // namespace io
}  // namespace tensorwright
