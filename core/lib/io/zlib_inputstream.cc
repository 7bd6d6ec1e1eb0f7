// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/zlib_inputstream.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>

#include "core/lib/io/stream_pieces.h"

namespace tensorwright {
namespace io {

class ZlibInputStream::Inflater {
 public:
  Inflater(InputStreamInterface* from, size_t block, int window_bits)
      : from_(from), block_(block) {
    // Adding 32 makes zlib tell its own format and gzip's apart by their first
    // bytes.
    const int bits = window_bits < 0 ? window_bits : MAX_WBITS + 32;
    if (inflateInit2(&stream_, bits) != Z_OK) {
      status_ = errors::ResourceExhausted("inflate: no memory");
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;

  Status Read(char* to, size_t n, size_t* got) {
    n = std::min<size_t>(n, std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(n);
    while (stream_.avail_out > 0 && status_.ok()) status_ = Step();
    *got = n - stream_.avail_out;
    return *got > 0 ? Status() : status_;
  }

 private:
  // Inflates some of the bytes that are there.
  Status Step() {
    if (stream_.avail_in == 0) TF_RETURN_IF_ERROR(Fill());
    // After a gzip stream there may be another one; other bytes, such as
    // padding, mean nothing.
    constexpr Bytef kGzipMagic = 0x1F;
    if (ended_ && *stream_.next_in != kGzipMagic) {
      return errors::OutOfRange("the end of the stream");
    }
    within_ = true;
    const int how = inflate(&stream_, Z_NO_FLUSH);
    if (how == Z_STREAM_END) {
      within_ = false;
      ended_ = true;
      inflateReset(&stream_);
      return Status();
    }
    // Z_BUF_ERROR means that it needs more bytes.
    if (how == Z_OK || how == Z_BUF_ERROR) return Status();
    return errors::DataLoss("inflate: ", stream_.msg != nullptr
                                             ? stream_.msg
                                             : "the data is broken");
  }

  Status Fill() {
    const Status read =
        from_->ReadNBytes(static_cast<int64_t>(block_), &input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(input_.size());
    if (!input_.empty()) return Status();
    if (errors::IsOutOfRange(read) && within_) {
      return errors::DataLoss("inflate: the data is cut off");
    }
    return read;
  }

  InputStreamInterface* const from_;
  const size_t block_;
  z_stream stream_ = {};
  tstring input_;
  bool within_ = false;  // A stream has begun and not ended.
  bool ended_ = false;   // A stream has ended.
  Status status_;        // The reason why there are no more bytes.
};

ZlibInputStream::ZlibInputStream(InputStreamInterface* input_stream,
                                 size_t input_buffer_bytes, size_t,
                                 const ZlibCompressionOptions& zlib_options,
                                 bool owns_input_stream)
    : input_stream_(input_stream),
      owns_input_stream_(owns_input_stream),
      input_buffer_bytes_(std::clamp<size_t>(input_buffer_bytes, 1, 1 << 30)),
      options_(zlib_options) {
  Begin();
}

ZlibInputStream::~ZlibInputStream() {
  if (owns_input_stream_) delete input_stream_;
}

void ZlibInputStream::Begin() {
  inflater_ = std::make_unique<Inflater>(input_stream_, input_buffer_bytes_,
                                         options_.window_bits);
  bytes_read_ = 0;
}

Status ZlibInputStream::ReadInto(char* to, size_t n, size_t* got) {
  const Status read = inflater_->Read(to, n, got);
  bytes_read_ += static_cast<int64_t>(*got);
  return read;
}

Status ZlibInputStream::ReadNBytes(int64_t bytes_to_read, tstring* result) {
  StreamPieces bytes(result);
  if (bytes_to_read < 0) {
    return errors::InvalidArgument("bytes to read must be >= 0, got ",
                                   bytes_to_read);
  }
  const size_t wanted = static_cast<size_t>(bytes_to_read);
  Status status;
  while (status.ok() && bytes.size() < wanted) {
    char* to = nullptr;
    size_t n = 0;
    TF_RETURN_IF_ERROR(bytes.Room(wanted - bytes.size(), &to, &n));
    size_t got = 0;
    status = ReadInto(to, n, &got);
    bytes.Advance(got);
  }
  bytes.Finish();
  return status;
}

Status ZlibInputStream::Reset() {
  TF_RETURN_IF_ERROR(input_stream_->Reset());
  Begin();
  return Status();
}

}  // namespace io
}  // namespace tensorwright
