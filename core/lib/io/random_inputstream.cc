// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/random_inputstream.h"

#include <cstring>

#include "absl/strings/string_view.h"
#include "core/lib/io/stream_pieces.h"

namespace tensorwright {
namespace io {

Status RandomAccessInputStream::ReadNBytes(int64_t bytes_to_read,
                                           tstring* result) {
  if (bytes_to_read < 0) {
    return errors::InvalidArgument("bytes to read must be >= 0, got ",
                                   bytes_to_read);
  }
  // The caller may ask for more than the file has.
  constexpr int64_t kMostAtOnce = int64_t{1} << 20;
  if (bytes_to_read > kMostAtOnce &&
      result->capacity() < static_cast<size_t>(bytes_to_read)) {
    return ReadInPieces(static_cast<size_t>(bytes_to_read), result);
  }
  // If `result` had this size before, as the buffer of a stream has, it is
  // written only once.
  result->resize(static_cast<size_t>(bytes_to_read));
  absl::string_view data;
  const Status read =
      file_->Read(static_cast<uint64_t>(position_),
                  static_cast<size_t>(bytes_to_read), &data, result->data());
  if (!read.ok() && !errors::IsOutOfRange(read)) data = absl::string_view();
  position_ += static_cast<int64_t>(data.size());
  if (data.data() == result->data()) {
    result->resize(data.size());
  } else {
    result->assign(data.data(), data.size());
  }
  return read;
}

Status RandomAccessInputStream::ReadInPieces(size_t wanted, tstring* result) {
  StreamPieces bytes(result);
  Status status;
  while (status.ok() && bytes.size() < wanted) {
    char* to = nullptr;
    size_t n = 0;
    TF_RETURN_IF_ERROR(bytes.Room(wanted - bytes.size(), &to, &n));
    absl::string_view data;
    status = file_->Read(static_cast<uint64_t>(position_), n, &data, to);
    if (!status.ok() && !errors::IsOutOfRange(status)) data = {};
    if (data.data() != to && !data.empty()) {
      std::memcpy(to, data.data(), data.size());
    }
    position_ += static_cast<int64_t>(data.size());
    bytes.Advance(data.size());
  }
  bytes.Finish();
  return status;
}

Status RandomAccessInputStream::SkipNBytes(int64_t bytes_to_skip) {
  if (bytes_to_skip < 0) {
    return errors::InvalidArgument("bytes to skip must be >= 0, got ",
                                   bytes_to_skip);
  }
  if (bytes_to_skip == 0) return Status();
  // The last byte shows whether the file is long enough.
  char last;
  absl::string_view data;
  const uint64_t at = static_cast<uint64_t>(position_ + bytes_to_skip - 1);
  const Status read = file_->Read(at, 1, &data, &last);
  if (read.ok()) {
    position_ += bytes_to_skip;
    return read;
  }
  return InputStreamInterface::SkipNBytes(bytes_to_skip);
}

}  // namespace io
}  // namespace tensorwright
