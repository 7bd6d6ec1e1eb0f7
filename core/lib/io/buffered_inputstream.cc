// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/buffered_inputstream.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/string_view.h"
#include "core/lib/io/random_inputstream.h"
#include "core/lib/io/stream_pieces.h"

namespace tensorwright {
namespace io {

BufferedInputStream::BufferedInputStream(InputStreamInterface* input_stream,
                                         size_t buffer_bytes,
                                         bool owns_input_stream)
    : input_stream_(input_stream),
      owns_input_stream_(owns_input_stream),
      size_(std::max<size_t>(1, buffer_bytes)) {}

BufferedInputStream::BufferedInputStream(RandomAccessFile* file,
                                         size_t buffer_bytes)
    : BufferedInputStream(new RandomAccessInputStream(file), buffer_bytes,
                          true) {}

BufferedInputStream::~BufferedInputStream() {
  if (owns_input_stream_) delete input_stream_;
}

// Called when the buffer is used up.
Status BufferedInputStream::FillBuffer() {
  at_ = 0;
  if (!at_end_.ok()) {
    buffer_.clear();
    return at_end_;
  }
  const Status read =
      input_stream_->ReadNBytes(static_cast<int64_t>(size_), &buffer_);
  if (!read.ok()) at_end_ = read;
  return buffer_.empty() ? read : Status();
}

Status BufferedInputStream::ReadNBytes(int64_t bytes_to_read, tstring* result) {
  if (bytes_to_read < 0) {
    return errors::InvalidArgument("bytes to read must be >= 0, got ",
                                   bytes_to_read);
  }
  const size_t wanted = static_cast<size_t>(bytes_to_read);
  StreamPieces bytes(result);
  Status status;
  while (bytes.size() < wanted) {
    if (at_ == buffer_.size()) status = FillBuffer();
    if (!status.ok()) break;
    const size_t n = std::min(wanted - bytes.size(), buffer_.size() - at_);
    status = bytes.Append(absl::string_view(buffer_.data() + at_, n));
    if (!status.ok()) break;
    at_ += n;
  }
  bytes.Finish();
  return status;
}

Status BufferedInputStream::SkipNBytes(int64_t bytes_to_skip) {
  if (bytes_to_skip < 0) {
    return errors::InvalidArgument("bytes to skip must be >= 0, got ",
                                   bytes_to_skip);
  }
  const size_t here =
      std::min(static_cast<size_t>(bytes_to_skip), buffer_.size() - at_);
  at_ += here;
  const int64_t rest = bytes_to_skip - static_cast<int64_t>(here);
  if (rest == 0) return Status();
  if (!at_end_.ok()) return at_end_;
  const Status skipped = input_stream_->SkipNBytes(rest);
  if (errors::IsOutOfRange(skipped)) at_end_ = skipped;
  return skipped;
}

int64_t BufferedInputStream::Tell() const {
  return input_stream_->Tell() - static_cast<int64_t>(buffer_.size() - at_);
}

Status BufferedInputStream::Reset() {
  TF_RETURN_IF_ERROR(input_stream_->Reset());
  buffer_.clear();
  at_ = 0;
  at_end_ = Status();
  return Status();
}

Status BufferedInputStream::Seek(int64_t position) {
  if (position < 0) {
    return errors::InvalidArgument("position must be >= 0, got ", position);
  }
  const int64_t begin =
      input_stream_->Tell() - static_cast<int64_t>(buffer_.size());
  if (position < begin) {
    TF_RETURN_IF_ERROR(Reset());
    return SkipNBytes(position);
  }
  if (position < Tell()) {
    at_ = static_cast<size_t>(position - begin);
    return Status();
  }
  return SkipNBytes(position - Tell());
}

Status BufferedInputStream::NextLine(std::string* result, bool include_eol) {
  StreamPieces line(result);
  while (true) {
    if (at_ == buffer_.size()) {
      const Status filled = FillBuffer();
      if (!filled.ok()) {
        // The last line may have no end.
        if (!errors::IsOutOfRange(filled) || line.size() == 0) return filled;
        line.Finish();
        if (!include_eol && result->back() == '\r') result->pop_back();
        return Status();
      }
    }
    const char* begin = buffer_.data() + at_;
    const char* end = buffer_.data() + buffer_.size();
    const void* found =
        std::memchr(begin, '\n', static_cast<size_t>(end - begin));
    const char* eol = found == nullptr ? end : static_cast<const char*>(found);
    const size_t n = static_cast<size_t>(eol - begin);
    TF_RETURN_IF_ERROR(line.Append(absl::string_view(begin, n)));
    at_ += n;
    if (eol == end) continue;
    ++at_;
    line.Finish();
    if (include_eol) {
      result->push_back('\n');
    } else if (!result->empty() && result->back() == '\r') {
      result->pop_back();
    }
    return Status();
  }
}

std::string BufferedInputStream::ReadLineAsString() {
  std::string line;
  NextLine(&line, true).IgnoreError();
  return line;
}

Status BufferedInputStream::SkipLine() {
  std::string unused;
  return NextLine(&unused, false);
}

Status BufferedInputStream::ReadRest(std::string* result) {
  StreamPieces rest(result);
  while (true) {
    TF_RETURN_IF_ERROR(rest.Append(
        absl::string_view(buffer_.data() + at_, buffer_.size() - at_)));
    const Status filled = FillBuffer();
    if (!filled.ok()) {
      rest.Finish();
      return errors::IsOutOfRange(filled) ? Status() : filled;
    }
  }
}

}  // namespace io
}  // namespace tensorwright
