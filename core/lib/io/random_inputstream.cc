// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/random_inputstream.h"

#include "absl/strings/string_view.h"

namespace tensorwright {
namespace io {

Status RandomAccessInputStream::ReadNBytes(int64_t bytes_to_read,
                                           tstring* result) {
  if (bytes_to_read < 0) {
    return errors::InvalidArgument("bytes to read must be >= 0, got ",
                                   bytes_to_read);
  }
  // Where `result` had this size before, as the buffer of a stream, it is
  // written once.
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
